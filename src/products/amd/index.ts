export { type AmdCallFilter, AmdCallStore } from './amd-call-store.ts';
export { evidenceSvg } from './evidence-svg.ts';
export { amdPersonalData } from './personal-data.ts';
export { type AmdReport, reportOf } from './report.ts';
export { wordsSweep } from './retention.ts';
export { AmdSettingsStore } from './settings-store.ts';
export { type AmdCall, viewOf } from './view.ts';
