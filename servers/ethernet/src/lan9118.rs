//! The LAN9118 (SMSC, its data sheet's revision 1.5), which copies no memory by itself: frames go through its FIFOs, a word
//! at a time.

use riposte::mmio::fields::{ReadOnly, ReadPure, ReadPureWrite, ReadWrite, WriteOnly};
use riposte::mmio::{UniqueMmioPointer, field};
use riposte::zerocopy::IntoBytes;
use riposte::{Peripheral, Token};
use riposte_ethernet::protocol::FRAME;

use crate::controller::{Controller, Frame, Happened, Refused, status_of};

/// What it has, as far as it is used here.
#[repr(C)]
struct Registers {
    /// To read it takes a word of a frame.
    rx_data: ReadOnly<u32>,
    _1: [u32; 7],
    tx_data: WriteOnly<u32>,
    _2: [u32; 7],
    /// To read them takes what is said of a frame.
    rx_status: ReadOnly<u32>,
    _3: u32,
    tx_status: ReadOnly<u32>,
    _4: u32,
    id: ReadPure<u32>,
    irq_config: ReadPureWrite<u32>,
    /// Why it asks for its interrupt; what is written 1 it asks for no more.
    interrupts: ReadPureWrite<u32>,
    interrupt_enable: ReadPureWrite<u32>,
    _5: u32,
    byte_order: ReadPure<u32>,
    fifo_interrupts: ReadPureWrite<u32>,
    rx_config: ReadPureWrite<u32>,
    tx_config: ReadPureWrite<u32>,
    hardware_config: ReadPureWrite<u32>,
    rx_control: ReadPureWrite<u32>,
    rx_fifo: ReadPure<u32>,
    tx_fifo: ReadPure<u32>,
    _6: [u32; 7],
    /// To read it sets it to 0.
    rx_dropped: ReadWrite<u32>,
    mac_command: ReadPureWrite<u32>,
    mac_data: ReadPureWrite<u32>,
}

const _: () = assert!(core::mem::offset_of!(Registers, rx_dropped) == 0xA0);

/// IRQ_CFG: the line is driven, both ways, high when it asks.
const IRQ_ON: u32 = 1 << 8 | 1 << 4 | 1 << 0;
/// INT_STS, INT_EN: there is something in the FIFO of what is said of frames that came.
const RX_STATUS_LEVEL: u32 = 1 << 3;
/// INT_STS, INT_EN: the transceiver has something to say.
const PHY: u32 = 1 << 18;
/// INT_STS, INT_EN: there is room for a frame again, as [`ROOM`] says.
const TX_ROOM: u32 = 1 << 9;
/// FIFO_INT: room for a frame is 25 times 64 bytes.
const ROOM: u32 = 25 << 24;
/// Most damaged frames that one request passes over.
const AT_ONCE: u32 = 8;
/// HW_CFG: begins anew; it is ready again when the bit is 0.
const RESET: u32 = 1 << 0;
/// HW_CFG: a frame is sent when all of it is there; of the FIFOs, 5 KiB are for sending.
const STORE_AND_FORWARD: u32 = 1 << 20 | 5 << 16;
/// TX_CFG: it sends; nothing is said of frames that were sent.
const TX_ON: u32 = 1 << 1;
/// TX_CFG: what is said of frames that were sent does not wait to be read.
const TX_SAYS_NOTHING: u32 = 1 << 2;
/// MAC_CSR_CMD.
const MAC_BUSY: u32 = 1 << 31;
const MAC_READ: u32 = 1 << 30;
/// The registers of the MAC, and what is in them.
const MAC_CONTROL: u32 = 1;
const MAC_ADDRESS_HIGH: u32 = 2;
const MAC_ADDRESS_LOW: u32 = 3;
const MII_ACCESS: u32 = 6;
const MII_DATA: u32 = 7;
const MAC_ON: u32 = 1 << 3 | 1 << 2;
const MAC_FULL_DUPLEX: u32 = 1 << 20;
/// What is for several is not only for others: IPv6 asks so who has an address.
const MAC_ALL_MULTICAST: u32 = 1 << 19;
const MII_BUSY: u32 = 1 << 0;
const MII_WRITE: u32 = 1 << 1;
/// The transceiver inside: its number, its registers, and what is in them.
const TRANSCEIVER: u32 = 1 << 11;
const PHY_CONTROL: u32 = 0;
const PHY_STATE: u32 = 1;
const PHY_SOURCE: u32 = 29;
const PHY_MASK: u32 = 30;
const NEGOTIATE: u32 = 1 << 12 | 1 << 9;
const LINK: u32 = 1 << 2;
/// PHY_MASK: negotiation is over; the link is down.
const PHY_LINK: u32 = 1 << 6 | 1 << 4;
/// What is said of a frame that came: it is damaged; and how long it is, with its checksum.
const DAMAGED: u32 = 1 << 15;
const CHECKSUM: usize = 4;

/// Most words of a frame.
const WORDS: usize = FRAME.div_ceil(4);
/// What the FIFO needs for a frame: two words say what it is.
const FIFO_FRAME: usize = (WORDS + 2) * 4;

/// The device.
pub struct Lan9118 {
    registers: UniqueMmioPointer<'static, Registers>,
    address: [u8; 6],
    damaged: u32,
    frame: [u32; WORDS],
}

impl Lan9118 {
    /// Begins anew with it.
    pub fn open(device: Peripheral) -> Lan9118 {
        let Ok(registers) = device.registers::<Registers>() else {
            panic!("the Ethernet has too few registers for a LAN9118");
        };
        let mut lan = Lan9118 {
            registers,
            address: [0; 6],
            damaged: 0,
            frame: [0; WORDS],
        };
        field!(lan.registers, hardware_config).write(RESET);
        while field!(lan.registers, hardware_config).read() & RESET != 0 {}
        field!(lan.registers, hardware_config).write(STORE_AND_FORWARD);
        field!(lan.registers, irq_config).write(IRQ_ON);
        field!(lan.registers, interrupts).write(u32::MAX);
        // At the first frame that has come.
        field!(lan.registers, fifo_interrupts).write(ROOM);
        field!(lan.registers, rx_config).write(0);
        field!(lan.registers, tx_config).write(TX_ON | TX_SAYS_NOTHING);
        let [a, b, c, d] = lan.mac(MAC_ADDRESS_LOW).to_le_bytes();
        let [e, f, ..] = lan.mac(MAC_ADDRESS_HIGH).to_le_bytes();
        lan.address = [a, b, c, d, e, f];
        lan.set_phy(PHY_CONTROL, NEGOTIATE);
        lan.set_phy(PHY_MASK, PHY_LINK);
        lan.set_mac(MAC_CONTROL, MAC_ON | MAC_FULL_DUPLEX | MAC_ALL_MULTICAST);
        field!(lan.registers, interrupt_enable).write(RX_STATUS_LEVEL | PHY);
        lan
    }

    fn mac(&mut self, register: u32) -> u32 {
        self.mac_command(MAC_BUSY | MAC_READ | register);
        field!(self.registers, mac_data).read()
    }

    fn set_mac(&mut self, register: u32, value: u32) {
        field!(self.registers, mac_data).write(value);
        self.mac_command(MAC_BUSY | register);
    }

    /// It takes a few cycles of the device's clock.
    fn mac_command(&mut self, command: u32) {
        field!(self.registers, mac_command).write(command);
        while field!(self.registers, mac_command).read() & MAC_BUSY != 0 {}
    }

    fn phy(&mut self, register: u32) -> u32 {
        self.set_mac(MII_ACCESS, TRANSCEIVER | register << 6 | MII_BUSY);
        while self.mac(MII_ACCESS) & MII_BUSY != 0 {}
        self.mac(MII_DATA)
    }

    fn set_phy(&mut self, register: u32, value: u32) {
        self.set_mac(MII_DATA, value);
        let command = TRANSCEIVER | register << 6 | MII_WRITE | MII_BUSY;
        self.set_mac(MII_ACCESS, command);
        while self.mac(MII_ACCESS) & MII_BUSY != 0 {}
    }

    /// How many frames have come.
    fn came(&mut self) -> u32 {
        // Said of how many: bits 16 to 23.
        field!(self.registers, rx_fifo).read() >> 16 & 0xFF
    }

    /// Takes what is said of the oldest frame: how many bytes it has, none of a damaged one. How many words of it are in
    /// the FIFO.
    fn next(&mut self) -> Option<(Option<usize>, usize)> {
        if self.came() == 0 {
            return None;
        }
        let said = field!(self.registers, rx_status).read();
        let all = (said >> 16 & 0x3FFF) as usize;
        let length = all.checked_sub(CHECKSUM).filter(|it| *it <= FRAME);
        let length = length.filter(|_| said & DAMAGED == 0);
        Some((length, all.div_ceil(4)))
    }
}

impl Controller for Lan9118 {
    fn address(&self) -> [u8; 6] {
        self.address
    }

    fn is_up(&mut self) -> bool {
        self.phy(PHY_STATE) & LINK != 0
    }

    fn room(&mut self) -> u32 {
        let free = field!(self.registers, tx_fifo).read() as usize & 0xFFFF;
        let room = free / FIFO_FRAME;
        if room == 0 {
            let on = RX_STATUS_LEVEL | PHY | TX_ROOM;
            field!(self.registers, interrupt_enable).write(on);
        }
        room as u32
    }

    fn interrupted(&mut self) -> Happened {
        let why = field!(self.registers, interrupts).read();
        field!(self.registers, interrupts).write(why);
        if why & PHY != 0 {
            // To read it makes the transceiver stop asking.
            self.phy(PHY_SOURCE);
        }
        if why & TX_ROOM != 0 {
            field!(self.registers, interrupt_enable).write(RX_STATUS_LEVEL | PHY);
        }
        let dropped = field!(self.registers, rx_dropped).read();
        Happened {
            frames: why & TX_ROOM != 0 || field!(self.registers, rx_fifo).read() >> 16 & 0xFF != 0,
            lost: dropped.wrapping_add(core::mem::take(&mut self.damaged)),
        }
    }

    fn send(&mut self, frame: Frame<'_>) -> Result<u32, Refused> {
        if self.room() == 0 {
            return Err(Refused::NoRoom);
        }
        let length = frame.length();
        let words = length.div_ceil(4);
        let to = self.frame.as_mut_bytes().get_mut(..length);
        frame.copy(to.unwrap_or_default())?;
        let length = length as u32;
        // One piece, the first and the last of the frame.
        field!(self.registers, tx_data).write(1 << 13 | 1 << 12 | length);
        field!(self.registers, tx_data).write(length);
        for word in self.frame.iter().take(words) {
            field!(self.registers, tx_data).write(*word);
        }
        Ok(self.room())
    }

    fn receive(&mut self, client: Token) -> Result<usize, Token> {
        for _ in 0..AT_ONCE {
            let Some((length, words)) = self.next() else {
                return Err(client);
            };
            for number in 0..words {
                let word = field!(self.registers, rx_data).read();
                if let Some(place) = self.frame.get_mut(number) {
                    *place = word;
                }
            }
            match length {
                Some(length) => {
                    let status = status_of(self.came() > 0);
                    let frame = self.frame.as_bytes().get(..length);
                    // A client that has left has lost a frame, as a wire may.
                    let _ = client.reply_with(status, frame.unwrap_or_default());
                    return Ok(length);
                }
                None => self.damaged = self.damaged.wrapping_add(1),
            }
        }
        // There may be more: the client must ask again.
        let _ = client.reply(&[]);
        Ok(0)
    }
}
