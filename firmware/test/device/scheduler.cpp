#include "scheduler.h"

#include <cstdlib>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

namespace sim {
namespace {

constexpr size_t kStackBytes = 512 * 1024;

// AddressSanitizer wants to know when the stack changes; elsewhere these do nothing.
#if defined(__SANITIZE_ADDRESS__)
void leaving(void** fake, const void* bottom, size_t size) {
  __sanitizer_start_switch_fiber(fake, bottom, size);
}
void arrived(void* fake, const void** bottom, size_t* size) {
  __sanitizer_finish_switch_fiber(fake, bottom, size);
}
#else
void leaving(void**, const void*, size_t) {}
void arrived(void*, const void**, size_t*) {}
#endif

Scheduler* running = nullptr;  // makecontext hands over integers only

}  // namespace

void Scheduler::spawn(const std::string& name, std::function<void()> body) {
  auto task = std::make_unique<Task>();
  task->name = name;
  task->body = std::move(body);
  task->stack.resize(kStackBytes);
  task->wake_us = now_us_;
  getcontext(&task->context);
  task->context.uc_stack.ss_sp = task->stack.data();
  task->context.uc_stack.ss_size = task->stack.size();
  task->context.uc_link = nullptr;
  const auto address = reinterpret_cast<uintptr_t>(task.get());
  makecontext(&task->context, reinterpret_cast<void (*)()>(enter), 2, unsigned(uint64_t(address) >> 32),
              unsigned(address & 0xFFFFFFFFu));
  tasks_.push_back(std::move(task));
}

void Scheduler::enter(unsigned high, unsigned low) {
  Task* const task = reinterpret_cast<Task*>(uintptr_t(uint64_t(high) << 32 | low));
  Scheduler& scheduler = *running;
  arrived(nullptr, &scheduler.main_stack_, &scheduler.main_stack_bytes_);
  if (!task->ending) {
    try {
      task->body();
    } catch (const TaskEnd&) {
    }
  }
  task->ended = true;
  leaving(nullptr, scheduler.main_stack_, scheduler.main_stack_bytes_);
  setcontext(&scheduler.main_);
  std::abort();
}

void Scheduler::give_turn(Task& task) {
  running = this;
  current_ = &task;
  void* fake = nullptr;
  leaving(&fake, task.stack.data(), task.stack.size());
  swapcontext(&main_, &task.context);
  arrived(fake, nullptr, nullptr);
  current_ = nullptr;
}

void Scheduler::give_back(Task& task) {
  leaving(&task.fake_stack, main_stack_, main_stack_bytes_);
  swapcontext(&task.context, &main_);
  arrived(task.fake_stack, &main_stack_, &main_stack_bytes_);
}

void Scheduler::sleep_us(int64_t us) {
  Task* const self = current_;
  if (self == nullptr) std::abort();  // only tasks may wait
  self->wake_us = now_us_ + (us > 0 ? us : 0);
  give_back(*self);
  if (self->ending) throw TaskEnd();
}

void Scheduler::at(int64_t time_us, std::function<void()> what) {
  events_.emplace(time_us, std::move(what));
}

void Scheduler::run_until(int64_t time_us) {
  stopped_ = false;
  while (!stopped_) {
    Task* next = nullptr;
    for (const auto& task : tasks_) {
      if (!task->ended && (next == nullptr || task->wake_us < next->wake_us)) next = task.get();
    }
    const auto event = events_.begin();
    const bool event_first = event != events_.end() && (next == nullptr || event->first <= next->wake_us);
    const int64_t when = event_first ? event->first : next != nullptr ? next->wake_us : time_us;
    if (when >= time_us) {
      now_us_ = time_us;
      return;
    }
    if (when > now_us_) now_us_ = when;
    if (on_time) on_time();
    if (stopped_) return;
    if (event_first) {
      const auto what = event->second;
      events_.erase(event);
      what();
    } else {
      give_turn(*next);
    }
  }
}

void Scheduler::end_tasks() {
  for (const auto& task : tasks_) {
    task->ending = true;
    if (!task->ended) give_turn(*task);
  }
  tasks_.clear();
}

size_t Scheduler::stack_used(const std::string& name) const {
  for (const auto& task : tasks_) {
    if (task->name != name) continue;
    // It grows downwards from the end; what was never used is still zero.
    const auto* words = reinterpret_cast<const uint64_t*>(task->stack.data());
    size_t untouched = 0;
    while (untouched < task->stack.size() / sizeof *words && words[untouched] == 0) ++untouched;
    return task->stack.size() - untouched * sizeof *words;
  }
  return 0;
}

const std::string& Scheduler::task_name() const {
  static const std::string none;
  return current_ != nullptr ? current_->name : none;
}

}  // namespace sim
