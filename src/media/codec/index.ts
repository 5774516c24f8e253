export { type Container, sniff } from './container.ts';
export { AudioDecoder, type DecoderOptions } from './decoder.ts';
export {
  type DecodingPriority,
  type DecodingUse,
  decodingPriorityOf,
  decodingPriorityOfRow,
} from './decoding-priority.ts';
export type { DecodeOptions, Decoding } from './decoding-run.ts';
export { type EncodeOptions, encode } from './encoder.ts';
export { type LimitedProcess, type ProcessLimits, startLimited } from './limited-process.ts';
export { Mp3Encoder, type Mp3Options } from './mp3.ts';
export { type MuxOptions, mux } from './muxer.ts';
export { OpusPages } from './opus-pages.ts';
export { type PipedProgram, runPiped } from './piped-program.ts';
export { type FfmpegProgram, findFfmpeg } from './program.ts';
export { countsOwnProcesses, type SandboxKind, sandboxKind } from './sandbox.ts';
export type { AudioSource } from './source.ts';
export { prepareStarter } from './starter.ts';
export { type SpooledUpload, spoolUpload } from './upload.ts';
export { type PcmFormat, readWavHeader, wavHeader } from './wav-header.ts';
