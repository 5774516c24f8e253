export * as amd from './amd/index.ts';
export * as carrier from './carrier/index.ts';
export { FrameBuffer } from './frame-buffer.ts';
export * as hear from './hear/index.ts';
export * as omni from './omni/index.ts';
