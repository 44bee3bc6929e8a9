/* The server's excerpt, unchanged, of ImageCraft's "Synchronous Message Passing and REXIS Benchmarking". */
 	while (REXIS_MessageReceive(&sender_pid, recbuf, 2, 0))
{ unsigned char reqbuf[REQLEN]; memset(reqbuf, 0, REQLEN); if (recbuf[0] == CMD_READ) memset(reqbuf, recbuf[1], REQLEN); REXIS_MessageReply(sender_pid, reqbuf, REQLEN); }
