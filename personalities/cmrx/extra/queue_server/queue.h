/* What CMRX has in this header is in cmrx.h. */
#include "../../cmrx.h"
