export { CAPTION_FORMATS, type CaptionFormat, captionsOf } from './captions.ts';
export { CEILING_DBTP } from './mastering.ts';
export { AUDIO_FORMATS, type AudioFormat, CONTENT_TYPES, checkFormat } from './output.ts';
export { estimateOf, planOf, type RenderPlan, tooLong } from './plan.ts';
export { RenderWorkspace } from './render-workspace.ts';
export { RESERVATION_MS, type RenderRequest, renderReservationId } from './request.ts';
export type { RenderResult } from './result.ts';
export { RenderRun } from './run.ts';
