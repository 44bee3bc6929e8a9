/* What the client orders from servers that lie, by an operation that no server has. From one of names: the owner of each name
 * that is located from then on. From one of shared memory: the size of each object, and the bytes that it says there are. */
#define ORDER UINT32_C(100)

/* Bytes of a list's answer, which has a word at least. */
#define LISTED 2

/* Bytes that there are of the object, which is one whatever its name. */
#define BLOCK UINT32_C(4096)
