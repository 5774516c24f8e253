// The records of the boundary, to the byte. docs/native-boundary.md describes them;
// src/media/engine/packed-records.ts reads them.
//
// Towards a lane, in its input ring (in the order in which JavaScript sent it):
//   u16 kind (InputKind), u16 verb, u32 size, `size` bytes
//
// Towards JavaScript, in the buffer that drain() fills:
//   header   u32 bytes used, u32 more (1: call drain() again), u64 zero
//   record   u32 slot, u32 generation, u16 type, u16 flags, u32 size, `size` bytes, zeroes up to a multiple
//            of 8
//
// A record of a job has kJobSlot as its slot and the job's number as its generation; a record of the engine
// itself has kEngineSlot.
#pragma once

#include <cstddef>
#include <cstdint>

namespace trunkline::engine {

enum class InputKind : uint16_t {
  kAudio = 1,
  kControl = 2,
  kClose = 3,
  kClear = 4,  // sent by a joined lane: discard its audio that was not played yet
};

inline constexpr size_t kInputHeader = 8;
inline constexpr size_t kDrainHeader = 16;
inline constexpr size_t kRecordHeader = 16;
inline constexpr size_t kRecordAlignment = 8;

inline constexpr uint32_t kEngineSlot = 0xffff'ffff;
inline constexpr uint32_t kJobSlot = 0xffff'fffe;

// Types below kFirstKindEvent mean the same for every lane; a lane kind numbers its own from kFirstKindEvent
// up, in its own header, and src/media/engine decodes them in a file of the same name.
enum EventType : uint16_t {
  // i32 status code, text: the lane's last record, which frees its slot.
  kClosedEvent = 1,
  // Audio for the wire, in the format that the lane was opened with.
  kAudioEvent = 2,
  // Job: f32 in 0..1.
  kJobProgressEvent = 3,
  // Job: u32 bytes; take() hands the chunk over.
  kJobChunkEvent = 4,
  // Job: i32 status code, text. Remaining chunks can still be taken.
  kJobEndEvent = 5,
  // Engine: i32 status code, u16 length of the kind's name, the name, text: a kind is ready, or has failed.
  kKindEvent = 6,
  // Engine: u8 device (0: CPU, 1: GPU), u8 failed, u16 length of the model's name, the name, text (the reason): a model was
  // opened, or its device has failed.
  kModelEvent = 7,
  kFirstKindEvent = 16,
};

}  // namespace trunkline::engine
