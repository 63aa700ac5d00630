// Owns simulated time: tasks that take turns, events, and the end of all of them by a reset. Deterministic.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace sim {

// Thrown out of a task that ends by a reset or by the end of the simulation.
struct TaskEnd {};

class Scheduler {
 public:
  ~Scheduler() { end_tasks(); }

  int64_t now_us() const { return now_us_; }
  // A task: runs on a thread of its own, but only while everybody else waits.
  void spawn(const std::string& name, std::function<void()> body);
  // In a task: lets `us` pass.
  void sleep_us(int64_t us);
  // Calls `what` at `time_us` (outside every task).
  void at(int64_t time_us, std::function<void()> what);
  // Lets time pass until `time_us`, or until a task has asked for a stop.
  void run_until(int64_t time_us);
  // From a task or an event: run_until() returns before anything else happens.
  void stop() { stopped_ = true; }
  bool stopped() const { return stopped_; }
  // Ends all tasks where they stand; events stay.
  void end_tasks();
  bool in_task() const { return current_ != nullptr; }
  const std::string& task_name() const;
  // Called whenever time has moved on.
  std::function<void()> on_time;

 private:
  struct Task {
    std::string name;
    std::function<void()> body;
    std::thread thread;
    int64_t wake_us = 0;
    bool running = false;  // has the turn
    bool ended = false;
    bool ending = false;
  };

  void give_turn(Task& task);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<std::unique_ptr<Task>> tasks_;
  std::multimap<int64_t, std::function<void()>> events_;
  Task* current_ = nullptr;
  int64_t now_us_ = 0;
  bool stopped_ = false;
};

}  // namespace sim
