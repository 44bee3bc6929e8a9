/* What the SD-server task and its clients agree on, as published. */

#define REQLEN 32   /* bytes of a reply */
#define CMD_READ 1  /* the command that the server knows */
