// No plugin library at all.
int nothing() { return 0; }
