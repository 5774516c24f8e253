/** Flows: the steps of a call as data, and the engine that holds a call to them. Pure: no clock, no model, no line. */
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
  type Flow,
  type FlowNode,
  FlowSchema,
  type Slot,
  type TransferManner,
  type Words,
} from './schema.ts';
export type { FlowEffect, FlowEvent, FlowState, FlowStep, Moment, PathStep } from './state.ts';
