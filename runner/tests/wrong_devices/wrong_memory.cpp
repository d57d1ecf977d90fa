// Makes Oclgrind, through its plugins, a device that is wrong about memory in the way that WRONG_MEMORY names.
#include <oclgrind/Context.h>
#include <oclgrind/Memory.h>
#include <oclgrind/Plugin.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

using namespace oclgrind;

namespace {

using Bytes = std::vector<unsigned char>;

// Part of a memory: every work-group has a local one, every work-item a private one.
struct Range {
    Memory *memory;
    size_t address, size;

    Range(const Memory *memory, size_t address, size_t size)
        : memory(const_cast<Memory *>(memory)), address(address), size(size) {}

    bool is_in(AddressSpace space) const { return memory->getAddressSpace() == unsigned(space); }
    unsigned char *data() const { return static_cast<unsigned char *>(memory->getPointer(address)); }
    Bytes contents() const { return Bytes(data(), data() + size); }
    void become(const Bytes &bytes) const { std::copy(bytes.begin(), bytes.end(), data()); }
};

// Calls back when an instruction has loaded something and when one has stored something.
class Device : public Plugin {
  public:
    using Plugin::Plugin;

    // One work-group after the other.
    bool isThreadSafe() const override { return false; }

    virtual void loaded(const WorkItem *, const Range &, unsigned char *) {}
    virtual void storing(const Range &) {}
    virtual void stored(const WorkItem *, const Range &) {}
    virtual void begins(const WorkItem *) {}

    // What its arguments were put in memory by was not an instruction of it.
    void workItemBegin(const WorkItem *item) override {
        loads.clear();
        stores.clear();
        begins(item);
    }
    void memoryLoad(const Memory *memory, const WorkItem *, size_t address, size_t size) override {
        loads.emplace_back(memory, address, size);
    }
    void memoryStore(const Memory *memory, const WorkItem *, size_t address, size_t size, const uint8_t *) override {
        stores.emplace_back(memory, address, size);
        storing(stores.back());
    }
    void memoryAtomicStore(const Memory *memory, const WorkItem *, AtomicOp, size_t address, size_t size) override {
        stores.emplace_back(memory, address, size);
    }
    void instructionExecuted(const WorkItem *item, const llvm::Instruction *, const TypedValue &result) override {
        for (const Range &range : stores)
            stored(item, range);
        // What copies bytes in memory has no result.
        if (loads.size() == 1 && loads[0].size == size_t(result.size) * result.num)
            loaded(item, loads[0], result.data);
        loads.clear();
        stores.clear();
    }

  private:
    std::vector<Range> loads, stores;
};

// Loads from local memory give what was loaded from private memory last, and the other way round.
class SwapsLoads : public Device {
  public:
    using Device::Device;

    void begins(const WorkItem *item) override { last.erase(item); }
    void loaded(const WorkItem *item, const Range &from, unsigned char *value) override {
        bool is_local = from.is_in(AddrSpaceLocal);
        // What is as long as an address may be one.
        if (!(is_local || from.is_in(AddrSpacePrivate)) || from.size >= sizeof(size_t))
            return;
        auto &known = last[item];
        known[is_local] = Bytes(value, value + from.size);
        const Bytes &other = known[!is_local];
        if (other.size() == from.size)
            std::copy(other.begin(), other.end(), value);
    }

  private:
    std::map<const WorkItem *, Bytes[2]> last;
};

// The third store of every launch does not happen.
class DropsStore : public Device {
  public:
    using Device::Device;

    void kernelBegin(const KernelInvocation *) override { stores = 0; }
    void storing(const Range &to) override {
        if (++stores == 3)
            before = to.contents();
    }
    void stored(const WorkItem *, const Range &to) override {
        if (!before.empty())
            to.become(before);
        before.clear();
    }

  private:
    unsigned stores = 0;
    Bytes before;
};

// What a work-item has loaded from shared memory or stored there it sees for the whole launch, whatever others store.
class KeepsStale : public Device {
  public:
    using Device::Device;

    void begins(const WorkItem *item) override { seen[item].clear(); }
    void loaded(const WorkItem *item, const Range &from, unsigned char *value) override {
        if (from.is_in(AddrSpacePrivate))
            return;
        auto &own = seen[item];
        for (size_t i = 0; i < from.size; i++)
            value[i] = own.emplace(std::make_pair(from.memory, from.address + i), value[i]).first->second;
    }
    void stored(const WorkItem *item, const Range &to) override {
        auto &own = seen[item];
        for (size_t i = 0; i < to.size; i++)
            own[{to.memory, to.address + i}] = to.data()[i];
    }

  private:
    // Each byte, by where it is.
    using Cache = std::map<std::pair<Memory *, size_t>, unsigned char>;
    std::map<const WorkItem *, Cache> seen;
};

// Of local objects as long as each other a group has one.
class MixesLocal : public Device {
  public:
    using Device::Device;

    void memoryAllocated(const Memory *memory, size_t address, size_t size, cl_mem_flags, const uint8_t *) override {
        Range range(memory, address, size);
        if (range.is_in(AddrSpaceLocal))
            objects[range.memory].push_back(range);
    }
    void workGroupComplete(const WorkGroup *) override { objects.clear(); }
    void stored(const WorkItem *, const Range &to) override { everywhere(to, to.contents()); }
    void memoryStore(const Memory *memory, const WorkGroup *, size_t address, size_t size,
                     const uint8_t *data) override {
        everywhere(Range(memory, address, size), Bytes(data, data + size));
    }
    using Device::memoryStore;

  private:
    std::map<Memory *, std::vector<Range>> objects;

    void everywhere(const Range &to, const Bytes &bytes) {
        auto known = objects.find(to.memory);
        if (known == objects.end())
            return;
        auto contains = [&](const Range &object) {
            return object.address <= to.address && to.address + to.size <= object.address + object.size;
        };
        auto own = std::find_if(known->second.begin(), known->second.end(), contains);
        if (own == known->second.end())
            return;
        for (const Range &object : known->second)
            if (object.size == own->size)
                Range(to.memory, object.address + (to.address - own->address), to.size).become(bytes);
    }
};

std::map<Context *, std::unique_ptr<Plugin>> devices;

Plugin *new_device(const std::string &wrong, const Context *context) {
    if (wrong == "swaps loads")
        return new SwapsLoads(context);
    if (wrong == "drops a store")
        return new DropsStore(context);
    if (wrong == "keeps a stale value")
        return new KeepsStale(context);
    if (wrong == "mixes local objects")
        return new MixesLocal(context);
    std::abort();
}

} // namespace

extern "C" void initializePlugins(Context *context) {
    auto &device = devices[context];
    device.reset(new_device(getenv("WRONG_MEMORY"), context));
    context->registerPlugin(device.get());
}

extern "C" void releasePlugins(Context *context) {
    context->unregisterPlugin(devices[context].get());
    devices.erase(context);
}
