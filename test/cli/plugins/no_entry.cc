// Half of the entry points.
extern "C" unsigned schedlens_plugin_abi() { return 1; }
