export { AgentMemories } from './agent-memories.ts';
export { type Agent, type AgentSaveHook, AgentStore, type AgentVersion } from './agent-store.ts';
export { Agents } from './agents.ts';
export { argumentsOf, BUILTIN_MS, REMEMBER, TRANSFER } from './builtin-shapes.ts';
export { type AgentCheckDeps, checkUrl, type FindUnknownIds } from './check-agent.ts';
export {
  AGENT_FIELDS,
  AGENT_LANGUAGES,
  type AgentBody,
  type AgentChange,
  type AgentFields,
  type AgentInput,
  BUILTIN_TOOLS,
  type BuiltinTool,
  ENDPOINTING,
  type Endpointing,
  IdleSchema,
} from './fields.ts';
export type { Lookup } from './lookups.ts';
export { type Profile, type ProfileSource, Profiles } from './profiles.ts';
export { buildAgentPrompt, groundingOf, servedLanguage } from './prompt.ts';
export { SuiteRecorded, type SuiteRun, TestRuns } from './test-runs.ts';
export {
  CallToolProvider,
  type CallToolProviderDeps,
  type CallTools,
  type ToolCallContext,
  type ToolSource,
} from './tools/call-tool-provider.ts';
export { TOOL_FIELDS, type ToolBody, type ToolFields } from './tools/fields.ts';
export { type Tool, ToolStore } from './tools/tool-store.ts';
export { Tools } from './tools/tools.ts';
export type { SignBody } from './tools/webhook-tool.ts';
export type { Traffic } from './traffic.ts';
export { toolsInWriting } from './written-tools.ts';
