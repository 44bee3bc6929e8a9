/* The client's excerpt, unchanged, of ImageCraft's "Synchronous Message Passing and REXIS Benchmarking". */
	cmdbuf[0] = CMD_READ;
cmdbuf[1] = mych;
memset(reqbuf, 0, REQLEN);
printf("Testing for '%c'... ", mych);
SetPortA5();
REXIS_MessageSend(SD_ServerTask_pid, cmdbuf, 2, reqbuf, REQLEN);
ClearPortA5();
