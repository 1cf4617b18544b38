// Built against a header of another time.
extern "C" unsigned schedlens_plugin_abi() { return 999; }
