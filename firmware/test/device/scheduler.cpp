#include "scheduler.h"

#include <cstdlib>

namespace sim {

void Scheduler::spawn(const std::string& name, std::function<void()> body) {
  auto task = std::make_unique<Task>();
  Task* const raw = task.get();
  raw->name = name;
  raw->body = std::move(body);
  raw->wake_us = now_us_;
  raw->thread = std::thread([this, raw] {
    {
      std::unique_lock<std::mutex> lock(mutex_);
      changed_.wait(lock, [raw] { return raw->running; });
    }
    if (!raw->ending) {
      try {
        raw->body();
      } catch (const TaskEnd&) {
      }
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    raw->ended = true;
    raw->running = false;
    changed_.notify_all();
  });
  tasks_.push_back(std::move(task));
}

void Scheduler::give_turn(Task& task) {
  std::unique_lock<std::mutex> lock(mutex_);
  Task* const before = current_;
  current_ = &task;
  task.running = true;
  changed_.notify_all();
  changed_.wait(lock, [&task] { return !task.running; });
  current_ = before;
}

void Scheduler::sleep_us(int64_t us) {
  Task* const self = current_;
  if (self == nullptr) std::abort();  // only tasks may wait
  std::unique_lock<std::mutex> lock(mutex_);
  self->wake_us = now_us_ + (us > 0 ? us : 0);
  self->running = false;
  changed_.notify_all();
  changed_.wait(lock, [self] { return self->running; });
  if (self->ending) throw TaskEnd();
}

void Scheduler::at(int64_t time_us, std::function<void()> what) { events_.emplace(time_us, std::move(what)); }

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
    if (when >= time_us || (next == nullptr && !event_first)) {
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
    task->thread.join();
  }
  tasks_.clear();
}

const std::string& Scheduler::task_name() const {
  static const std::string none;
  return current_ != nullptr ? current_->name : none;
}

}  // namespace sim
