/* What an EAI_ error says. */

#include <netdb.h>

const char *gai_strerror(int error)
{
    switch (error) {
    case 0:
        return "no error";
    case EAI_AGAIN:
        return "no server of names answers now";
    case EAI_BADFLAGS:
        return "there are no such flags";
    case EAI_FAIL:
        return "the answer of the network server is none";
    case EAI_FAMILY:
        return "there are no such addresses here";
    case EAI_MEMORY:
        return "there is no memory left: heap in program.toml";
    case EAI_NONAME:
        return "there is no host of that name";
    case EAI_SERVICE:
        return "a service is a number here";
    case EAI_SOCKTYPE:
        return "there are no such sockets";
    case EAI_SYSTEM:
        return "errno says why";
    case EAI_OVERFLOW:
        return "there is too little room for it";
    default:
        return "it is no error of <netdb.h>";
    }
}
