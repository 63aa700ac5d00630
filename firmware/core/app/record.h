// What happened on the network, as the app is told.
#pragma once

#include <cstddef>
#include <cstdint>

#include "inktop/line.h"
#include "inktop/parser.h"
#include "link/link.h"

namespace inktop {

// One event. It points to what it carries: copy that to keep a record.
struct Record {
  enum class Kind : uint8_t {
    opened,    // a connection was made
    data,      // a data line: `data`
    info,      // an info line: `info`
    settings,  // what the server holds for this board: `settings`
    newer,     // an info line of a newer protocol version
    dropped,   // a line that cannot be read: `error`
    closed,    // the connection ended: `why`
    status,    // the link's status changed: `status`
    text,      // a line for the server: `text`, `size` bytes with its newline; never for the app
  };
  Kind kind = Kind::status;
  int64_t time_ms = 0;
  const Snapshot* data = nullptr;
  const InfoLine* info = nullptr;
  const SettingsLine* settings = nullptr;
  LineError error = LineError::none;
  CloseReason why = CloseReason::none;
  const LinkStatus* status = nullptr;
  const char* text = nullptr;
  size_t size = 0;
};

Record record_at(Record::Kind kind, int64_t time_ms);
Record closed_record(CloseReason why, int64_t time_ms);
Record status_record(const LinkStatus& status, int64_t time_ms);
// Fills in what the app is told of a line. False: lines of that kind are nothing for the app.
bool record_of(const Parsed& line, int64_t time_ms, Record& out);

}  // namespace inktop
