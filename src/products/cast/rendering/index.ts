export { CAPTION_FORMATS, type CaptionFormat, captionsOf } from './captions.ts';
export { CEILING_DBTP } from './mastering.ts';
export { AUDIO_FORMATS, type AudioFormat, CONTENT_TYPES, checkFormat } from './output.ts';
export { estimateOf, type Plan, planOf, tooLong } from './plan.ts';
export { HOLD_MS, holdOf, type RenderRequest } from './request.ts';
export type { RenderResult } from './result.ts';
export { RenderRun } from './run.ts';
export { Workplace } from './workplace.ts';
