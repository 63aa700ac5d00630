// C ABI of the virtual board: the core's App on a modelled panel, and its Link, for Python (tools and tests).
//
// Times are milliseconds that never go back; texts end with a NUL. Nothing here blocks, and nothing is safe
// to call from two threads at once on the same object. A function that writes text into `out` returns its
// length without the NUL, or -1 when `out_size` is too small.
#pragma once

#include <cstddef>
#include <cstdint>

#define INKTOP_EXPORT extern "C" __attribute__((visibility("default")))

struct InktopAppConfig {
  int32_t width;
  int32_t height;
  int32_t update_interval_ms;
  int32_t wash_interval;
  int32_t hot_spot_flips;
  int32_t health_interval_ms;
  int32_t servers;      // so many places are shown before their servers have answered; 0: with their data
  uint32_t panel_seed;  // of the old picture that the panel begins with
  const char* id;
  const char* firmware;
};

// nullptr when the size cannot be drawn: at least 640x400 or 400x640, width a multiple of 8, at most 2560
// rows.
INKTOP_EXPORT void* inktop_app_new(const InktopAppConfig* config);
INKTOP_EXPORT void inktop_app_free(void* app);

// What its link (inktop_link_new) has received since the last call reaches the app; not during a refresh.
INKTOP_EXPORT void inktop_app_receive(void* app);
// A connection without a link. `why` is a number of CloseReason.
INKTOP_EXPORT void inktop_app_opened(void* app, int64_t now_ms);
INKTOP_EXPORT void inktop_app_bytes(void* app, const char* bytes, int32_t size, int64_t now_ms);
INKTOP_EXPORT void inktop_app_closed(void* app, int32_t why, int64_t now_ms);
// 0 wash, 1 status screen, 2 span of the graphs, 3 the next server.
INKTOP_EXPORT void inktop_app_button(void* app, int32_t which, int64_t now_ms);

// A setting of the board by its name ("clock"), as its console takes it; those of the picture and the refresh
// act. 0, or -1: no such setting; -2: not such a value.
INKTOP_EXPORT int32_t inktop_app_set(void* app, const char* name, const char* value);

// Name and value in force of each setting that a server may set, too, as one JSON object.
INKTOP_EXPORT int32_t inktop_app_settings(void* app, char* out, int32_t out_size);

struct InktopRefresh {
  int32_t kind;         // of RefreshKind; 0: nothing to do
  int32_t why;          // of RefreshReason
  int32_t rows;         // driven
  int32_t flips;        // pixels that an update changed
  int32_t errors;       // bits, 0: it worked
  int32_t duration_ms;  // what it takes on a real panel: until then the app hears and does nothing else
};

// Refreshes the modelled panel when it is due; returns the kind.
INKTOP_EXPORT int32_t inktop_app_refresh(void* app, int64_t now_ms, InktopRefresh* out);
// A line for a server, whose place is written, with its newline; or an empty text. With several servers there
// may be more: ask again.
INKTOP_EXPORT int32_t inktop_app_outbox(void* app, int64_t now_ms, char* out, int32_t out_size,
                                        int32_t* place);

// Before the first refresh: what goes wrong between picture and panel from now on. Returns 0, or -1 for an
// unknown name. The names and what each does: by number from 0 on, until nullptr.
INKTOP_EXPORT int32_t inktop_app_defect(void* app, const char* name);
INKTOP_EXPORT const char* inktop_defect_name(int32_t defect);
INKTOP_EXPORT const char* inktop_defect_summary(int32_t defect);
// After `drives` more drives, one fails with `errors` in `phase` at `row`.
INKTOP_EXPORT void inktop_app_fail(void* app, int32_t drives, int32_t errors, int32_t phase, int32_t row);

// The framebuffer: 4 bits a pixel, the low nibble is the left one, width * height / 2 bytes.
// It lives with the app.
INKTOP_EXPORT const uint8_t* inktop_app_frame(void* app);
// Draws the present state from scratch into the framebuffer.
INKTOP_EXPORT void inktop_app_redraw(void* app, int64_t now_ms);
// One bit a pixel (1 white), the left one highest, each row filled up to bytes: the framebuffer, the panel.
INKTOP_EXPORT void inktop_app_frame_bits(void* app, uint8_t* out);
INKTOP_EXPORT void inktop_app_panel_bits(void* app, uint8_t* out);
// The panel as it looks, one byte a pixel: 0 ink … 255 paper, with ghosting.
INKTOP_EXPORT void inktop_app_panel_levels(void* app, uint8_t* out);

// Facts as one JSON object: screen, freshness, age_s, newest_s (uptime of the newest data line, -1 none),
// counters, cost of the last refresh, dropped lines. With several servers also each of those that are shown
// (place, name, unseen alarms, whether its data is not lost), the place of the large one (`shown`, -1 the
// grid), and whether it has come forward for its alarm.
INKTOP_EXPORT int32_t inktop_app_state(void* app, char* out, int32_t out_size);
// The elements of the picture and their flips so far, as a JSON list of {name, x, y, width, height, flips}.
INKTOP_EXPORT int32_t inktop_app_elements(void* app, char* out, int32_t out_size);

INKTOP_EXPORT const char* inktop_refresh_kind_name(int32_t kind);
INKTOP_EXPORT const char* inktop_refresh_reason_name(int32_t why);
INKTOP_EXPORT const char* inktop_close_reason_name(int32_t why);
// What a panel answers: kind by kind its bit and its word in the health line, until nullptr.
INKTOP_EXPORT int32_t inktop_draw_error_bit(int32_t kind);
INKTOP_EXPORT const char* inktop_draw_error_word(int32_t kind);

// HMAC-SHA256 of text[length] as 64 lower-case hexadecimal digits and a NUL into `hex`.
typedef void (*InktopHmac)(void* context, const char* text, size_t length, char* hex);

struct InktopLinkConfig {
  const char* servers;  // up to eight of HOST, HOST:PORT, [V6]:PORT, a blank between
  const char* id;
  const char* firmware;
  const char* panel;  // WxH
  InktopHmac hmac;    // nullptr: no key is set
  uint32_t seed;      // of the back-off's jitter
  int32_t place;      // among the servers of its app, 0 to 7
};

struct InktopLinkAction {
  int32_t kind;  // of LinkAction::Kind
  int32_t why;   // of CloseReason, for close
  int32_t port;
  int32_t timeout_ms;
  int32_t size;
  char host[64];
  char address[46];
  char bytes[1025];
};

// nullptr when a server cannot be one. What the link receives goes to `app`, which outlives it.
INKTOP_EXPORT void* inktop_link_new(const InktopLinkConfig* config, void* app);
INKTOP_EXPORT void inktop_link_free(void* link);
// Call again until the kind is 0; then at least every 200 ms and after each event. Tells the app when the
// link's status has changed.
INKTOP_EXPORT void inktop_link_next(void* link, int64_t now_ms, InktopLinkAction* action);
// The name of an action's kind, nullptr after the last.
INKTOP_EXPORT const char* inktop_link_action_name(int32_t kind);
// 1 when the text is one server, whose host and port are written; else 0.
INKTOP_EXPORT int32_t inktop_parse_server(const char* text, char* host, int32_t host_size, int32_t* port);
INKTOP_EXPORT void inktop_link_resolved(void* link, int32_t ok, const char* address, int64_t now_ms);
INKTOP_EXPORT void inktop_link_connected(void* link, int64_t now_ms);
INKTOP_EXPORT void inktop_link_connect_failed(void* link, int64_t now_ms);
INKTOP_EXPORT void inktop_link_received(void* link, const char* bytes, int32_t size, int64_t now_ms);
// The connection was closed, as the link wanted.
INKTOP_EXPORT void inktop_link_closed(void* link, int32_t why, int64_t now_ms);
INKTOP_EXPORT void inktop_link_closed_by_peer(void* link, int64_t now_ms);
INKTOP_EXPORT void inktop_link_send_failed(void* link, int64_t now_ms);
// A line for the server as it goes out: with a key it is sealed. Its length, 0 when it does not fit.
INKTOP_EXPORT int32_t inktop_link_seal(void* link, const char* line, int32_t size, char* out,
                                       int32_t out_size);
// The phase in a word ("connected"), whether the server ends the connection after each hello, and whether one
// did not prove that it has the key.
INKTOP_EXPORT const char* inktop_link_phase(void* link);
INKTOP_EXPORT int32_t inktop_link_denied(void* link);
INKTOP_EXPORT int32_t inktop_link_unproven(void* link);
