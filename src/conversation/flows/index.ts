/**
 * Flows describe the steps of a call as data. The engine that enforces them is pure: it uses no clock, model or
 * audio.
 */
export {
  type CheckedFlow,
  checkFlow,
  NOTHING_KNOWN,
  PROBLEM_CODES,
  type Problem,
  type ProblemCode,
  type Surroundings,
} from './check.ts';
export { type CompiledFlow, type CompiledNode, compile } from './compile.ts';
export { FlowEngine } from './engine.ts';
export { flowSvg, flowText } from './picture.ts';
export { filled as filledWords } from './rules.ts';
export {
  type Edge,
  FLOW_DOCUMENT_SCHEMA,
  type Flow,
  type FlowNode,
  FlowSchema,
  type Slot,
  type TransferManner,
  type Words,
} from './schema.ts';
export type { FlowEffect, FlowEvent, FlowState, FlowStep, Moment, PathStep } from './state.ts';
