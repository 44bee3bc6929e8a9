"""A lamp in a zenoh network that a board switches, and a client of a counter on that board.

    pip install eclipse-zenoh==1.10.0
    python3 examples/gateway/lamp.py
"""

import struct
import time

import zenoh

GATEWAY = "tcp/127.0.0.1:7447"
COUNTER = "riposte/plant/board/counter"
VISITS = 5


def lamp(query):
    """Answers the board."""
    wish = query.payload.to_string()
    print(f"lamp: {wish}", flush=True)
    query.reply("home/lamp", f"the lamp is {wish}")


def connect():
    """Waits for the gateway: it is built when it is started first."""
    config = zenoh.Config()
    config.insert_json5("mode", '"client"')
    config.insert_json5("connect/endpoints", f'["{GATEWAY}"]')
    has_said = False
    while True:
        try:
            return zenoh.open(config)
        except zenoh.ZError:
            if not has_said:
                print(f"no gateway listens at {GATEWAY} yet: waiting for it", flush=True)
            has_said = True
            time.sleep(1)


def main():
    with connect() as session:
        session.declare_queryable("home/lamp", lamp)
        for _ in range(VISITS):
            # A message of one word, as a process on the board would send it: a visit.
            for reply in session.get(COUNTER, payload=struct.pack("<I", 1)):
                if reply.ok is not None:
                    (count,) = struct.unpack_from("<I", reply.ok.payload.to_bytes())
                    print(f"the counter says {count}", flush=True)
                else:
                    print(f"no answer: {reply.err.payload.to_string()}", flush=True)
            time.sleep(1)


if __name__ == "__main__":
    main()
