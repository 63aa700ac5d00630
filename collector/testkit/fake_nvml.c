// A stand-in for NVIDIA's libnvidia-ml.so.1, as strict as the real one where it matters: no call works
// before nvmlInit, no handle outlives its session, every call is counted. Tests set the globals.
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { kCards = 2, kSuccess = 0, kUninitialized = 1, kInvalid = 2, kNotFound = 6, kSmall = 7, kVersion = 25 };

typedef unsigned long long u64;
typedef struct {
  unsigned session, index;
} Card;

// Each value of each card, and the code that a call for it returns.
#define VALUE(name)        \
  unsigned name[kCards];   \
  int name##_code[kCards]; \
  int name##_calls[kCards];
VALUE(busy)
VALUE(temperature)
VALUE(memory_temperature)
VALUE(power_mw)
VALUE(limit_mw)
VALUE(fan_rpm)
VALUE(fan_percent)
VALUE(core_mhz)
VALUE(memory_mhz)
VALUE(slowdown)
VALUE(memory_max)
VALUE(throttling)
VALUE(mig)
VALUE(link_generation)
VALUE(link_width)
u64 used[kCards], total[kCards], reserved[kCards];
int memory_code[kCards], memory_v2_code[kCards], memory_calls[kCards], memory_v2_calls[kCards];
char address[kCards][32], product[kCards][96];
int handle_code[kCards], handle_calls[kCards];
int init_code, init_calls, shutdown_calls, hang, misuse;
// Processes of every card: id, memory, share of its time.
unsigned compute_count, graphics_count;
unsigned pids[2][16], shares[2][16];
u64 sizes[2][16];
static int open_count;
static unsigned session;
static Card cards[64][kCards];

static int index_of(Card* card, unsigned* index) {
  if (open_count == 0) {
    ++misuse;
    return kUninitialized;
  }
  if (card == NULL || card->session != session) {
    ++misuse;
    return kInvalid;
  }
  *index = card->index;
  while (hang) usleep(1000);
  return kSuccess;
}

int nvmlInit_v2(void) {
  ++init_calls;
  if (init_code) return init_code;
  if (open_count++ == 0) ++session;
  return kSuccess;
}

int nvmlShutdown(void) {
  ++shutdown_calls;
  if (open_count == 0) ++misuse;
  --open_count;
  return kSuccess;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char* pci, Card** card) {
  if (open_count == 0) return kUninitialized;
  for (unsigned index = 0; index < kCards; ++index) {
    if (strcmp(pci, address[index]) != 0) continue;
    ++handle_calls[index];
    if (handle_code[index]) return handle_code[index];
    cards[session % 64][index].session = session;
    cards[session % 64][index].index = index;
    *card = &cards[session % 64][index];
    return kSuccess;
  }
  return kNotFound;
}

#define BEGIN(name)              \
  unsigned i = 0;                \
  int code = index_of(card, &i); \
  if (code) return code;         \
  ++name##_calls[i];             \
  if (name##_code[i]) return name##_code[i];

int nvmlDeviceGetName(Card* card, char* text, unsigned size) {
  unsigned i = 0;
  int code = index_of(card, &i);
  if (code) return code;
  return snprintf(text, size, "%s", product[i]) < (int)size ? kSuccess : kSmall;
}

int nvmlDeviceGetUtilizationRates(Card* card, unsigned rates[2]) {
  BEGIN(busy)
  rates[0] = busy[i];
  rates[1] = 0;
  return kSuccess;
}

int nvmlDeviceGetTemperature(Card* card, int sensor, unsigned* value) {
  BEGIN(temperature)
  *value = temperature[i];
  return sensor == 0 ? kSuccess : kInvalid;
}

typedef struct {
  unsigned field, scope;
  long long timestamp, latency;
  int type, code;
  u64 value;
} Field;

int nvmlDeviceGetFieldValues(Card* card, int count, Field* field) {
  unsigned i = 0;
  int code = index_of(card, &i);
  if (code) return code;
  ++memory_temperature_calls[i];
  if (count != 1 || field->field != 82) return kInvalid;
  field->code = memory_temperature_code[i];
  field->value = memory_temperature[i];
  return kSuccess;
}

#define NUMBER(function, name)                               \
  int nvmlDeviceGet##function(Card* card, unsigned* value) { \
    BEGIN(name)                                              \
    *value = name[i];                                        \
    return kSuccess;                                         \
  }
NUMBER(PowerUsage, power_mw)
NUMBER(EnforcedPowerLimit, limit_mw)
NUMBER(FanSpeed, fan_percent)
NUMBER(CurrPcieLinkGeneration, link_generation)
NUMBER(CurrPcieLinkWidth, link_width)

int nvmlDeviceGetMaxPcieLinkGeneration(Card* card, unsigned* value) {
  *value = 5;
  return card ? kSuccess : kInvalid;
}

int nvmlDeviceGetMaxPcieLinkWidth(Card* card, unsigned* value) {
  *value = 16;
  return card ? kSuccess : kInvalid;
}

int nvmlDeviceGetFanSpeedRPM(Card* card, unsigned info[3]) {
  BEGIN(fan_rpm)
  if (info[0] != (12u | 1u << 24)) return kVersion;
  if (info[1] != 0) return kInvalid;
  info[2] = fan_rpm[i];
  return kSuccess;
}

int nvmlDeviceGetClockInfo(Card* card, int which, unsigned* value) {
  if (which == 0) {
    BEGIN(core_mhz)
    *value = core_mhz[i];
    return kSuccess;
  }
  BEGIN(memory_mhz)
  *value = memory_mhz[i];
  return which == 2 ? kSuccess : kInvalid;
}

int nvmlDeviceGetTemperatureThreshold(Card* card, int which, unsigned* value) {
  if (which == 1) {
    BEGIN(slowdown)
    *value = slowdown[i];
    return kSuccess;
  }
  BEGIN(memory_max)
  *value = memory_max[i];
  return which == 2 ? kSuccess : kInvalid;
}

int nvmlDeviceGetCurrentClocksThrottleReasons(Card* card, u64* value) {
  BEGIN(throttling)
  *value = throttling[i];
  return kSuccess;
}

int nvmlDeviceGetMigMode(Card* card, unsigned* now, unsigned* later) {
  BEGIN(mig)
  *now = *later = mig[i];
  return kSuccess;
}

typedef struct {
  unsigned pid;
  u64 size;
  unsigned gpu_instance, compute_instance;
} Process;

static int list(Card* card, int kind, unsigned count, unsigned* room, Process* table) {
  unsigned i = 0;
  int code = index_of(card, &i);
  if (code) return code;
  if (*room < count) return kSmall;
  *room = count;
  for (unsigned p = 0; p < count; ++p) {
    table[p].pid = pids[kind][p];
    table[p].size = sizes[kind][p];
  }
  return kSuccess;
}

int nvmlDeviceGetComputeRunningProcesses_v3(Card* card, unsigned* room, Process* table) {
  return list(card, 0, compute_count, room, table);
}

int nvmlDeviceGetGraphicsRunningProcesses_v3(Card* card, unsigned* room, Process* table) {
  return list(card, 1, graphics_count, room, table);
}

typedef struct {
  unsigned pid;
  u64 time;
  unsigned sm, memory, encoder, decoder;
} Sample;

int nvmlDeviceGetProcessUtilization(Card* card, Sample* table, unsigned* room, u64 since) {
  unsigned i = 0, count = 0;
  int code = index_of(card, &i);
  if (code) return code;
  for (int kind = 0; kind < 2; ++kind) {
    for (unsigned p = 0; p < (kind ? graphics_count : compute_count); ++p) {
      if (shares[kind][p] == 0) continue;
      table[count].pid = pids[kind][p];
      table[count].time = since + 1000;
      table[count++].sm = shares[kind][p];
    }
  }
  *room = count;
  return count ? kSuccess : kNotFound;
}

typedef struct {
  u64 total, free, used;
} Memory;

int nvmlDeviceGetMemoryInfo(Card* card, Memory* memory) {
  BEGIN(memory)
  memory->total = total[i];
  memory->used = used[i] + reserved[i];
  memory->free = total[i] - memory->used;
  return kSuccess;
}

#ifndef OLD
typedef struct {
  unsigned version;
  u64 total, reserved, free, used;
} MemoryV2;

int nvmlDeviceGetMemoryInfo_v2(Card* card, MemoryV2* memory) {
  BEGIN(memory_v2)
  if (memory->version != (sizeof(MemoryV2) | 2u << 24)) return kVersion;
  memory->total = total[i];
  memory->reserved = reserved[i];
  memory->used = used[i];
  memory->free = total[i] - used[i] - reserved[i];
  return kSuccess;
}
#endif
