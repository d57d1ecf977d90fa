// Ends the process at the first thing that Oclgrind reports of a kernel, so that the run knows whose kernel it was.
#include <oclgrind/Context.h>
#include <oclgrind/Plugin.h>

#include <cstdio>
#include <cstdlib>

using namespace oclgrind;

namespace {

class FirstError : public Plugin {
  public:
    using Plugin::Plugin;

    void log(MessageType type, const char *message) override {
        if (type < WARNING)
            return;
        std::fprintf(stderr, "oclgrind: %s\n", message);
        std::abort();
    }
};

FirstError *plugin;

} // namespace

extern "C" void initializePlugins(Context *context) {
    plugin = new FirstError(context);
    context->registerPlugin(plugin);
}

extern "C" void releasePlugins(Context *context) {
    context->unregisterPlugin(plugin);
    delete plugin;
}
