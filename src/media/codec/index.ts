/** Audio files in and out. Decoding and the heavier encoders run in a limited process; wav and mp3 are written here. */
export { type Container, sniff } from './container.ts';
export { AudioDecoder, type DecoderOptions } from './decoder.ts';
export type { DecodeOptions, Decoding } from './decoding-run.ts';
export { type DecodingUse, turnOf, turnOfRow } from './decoding-turn.ts';
export { type EncodeOptions, encode } from './encoder.ts';
export { type FedProgram, runFed } from './fed-program.ts';
export { type LimitedProcess, type Limits, startLimited } from './limited-process.ts';
export { Mp3Encoder, type Mp3Options } from './mp3.ts';
export { type MuxOptions, mux } from './muxer.ts';
export { type FfmpegProgram, findFfmpeg } from './program.ts';
export type { AudioSource } from './source.ts';
export { prepareStarter } from './starter.ts';
export { keepUpload, type Upload } from './upload.ts';
export { countsAlone, type Wall, wall } from './walls.ts';
export { type PcmFormat, readWavHeader, wavHeader } from './wav-header.ts';
