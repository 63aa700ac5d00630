// Simulated time: tasks that take turns, events, and a reset that ends them all. Deterministic.
#pragma once

#include <ucontext.h>

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace sim {

// Thrown out of a task that ends by a reset or by the end of the simulation.
struct TaskEnd {};

class Scheduler {
 public:
  ~Scheduler() { end_tasks(); }

  int64_t now_us() const { return now_us_; }
  // A task: has a stack of its own, and runs while everybody else waits.
  void spawn(const std::string& name, std::function<void()> body);
  // In a task: lets `us` pass.
  void sleep_us(int64_t us);
  // Calls `what` at `time_us` (outside every task).
  void at(int64_t time_us, std::function<void()> what);
  // Lets time pass until `time_us`, or until a task has asked for a stop.
  void run_until(int64_t time_us);
  // From a task or an event: run_until() returns before anything else happens.
  void stop() { stopped_ = true; }
  // Ends all tasks where they are; events stay.
  void end_tasks();
  // How much of its stack a task has ever used, bytes; 0: there is no such task.
  size_t stack_used(const std::string& name) const;
  bool in_task() const { return current_ != nullptr; }
  const std::string& task_name() const;
  // Called whenever time has moved on.
  std::function<void()> on_time;

 private:
  struct Task {
    std::string name;
    std::function<void()> body;
    std::vector<char> stack;
    ucontext_t context;
    void* fake_stack = nullptr;  // of AddressSanitizer
    int64_t wake_us = 0;
    bool ended = false;
    bool ending = false;
  };

  static void enter(unsigned high, unsigned low);
  void give_turn(Task& task);
  void give_back(Task& task);

  std::list<std::unique_ptr<Task>> tasks_;
  std::multimap<int64_t, std::function<void()>> events_;
  Task* current_ = nullptr;
  ucontext_t main_;
  const void* main_stack_ = nullptr;
  size_t main_stack_bytes_ = 0;
  int64_t now_us_ = 0;
  bool stopped_ = false;
};

}  // namespace sim
