/** Agent profiles with their versions, and the tools that they may use. */
export { type Agent, AgentStore, type AgentVersion, type Alongside } from './agent-store.ts';
export { Agents } from './agents.ts';
export { argumentsOf, BUILTIN_MS, REMEMBER, TRANSFER } from './builtin-shapes.ts';
export { type CheckDeps, checkUrl, type UnknownAmong } from './check.ts';
export {
  AGENT_LANGUAGES,
  type AgentBody,
  type AgentChange,
  type AgentFields,
  type AgentInput,
  BUILTIN_TOOLS,
  type BuiltinTool,
  ENDPOINTING,
  type Endpointing,
  FIELDS,
  Idle,
} from './fields.ts';
export { Memories } from './memories.ts';
export { type Profile, type ProfileSource, Profiles } from './profiles.ts';
export { groundingOf, promptOf, servedLanguage } from './prompt.ts';
export { type PlayedSuite, TestRuns } from './test-runs.ts';
export {
  type CallOfTools,
  ToolShelf,
  type ToolShelfDeps,
  type ToolSource,
  type ToolsOfCall,
} from './tools/call-tools.ts';
export { TOOL_FIELDS, type ToolBody, type ToolFields } from './tools/fields.ts';
export { type Tool, ToolStore } from './tools/tool-store.ts';
export { Tools } from './tools/tools.ts';
export type { SignBody } from './tools/webhook-tool.ts';
export type { Traffic } from './traffic.ts';
