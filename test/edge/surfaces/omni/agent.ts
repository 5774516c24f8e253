import type { AgentBody } from '../../../../src/conversation/agents/index.ts';
import type { Brain, BrainEvent, BrainRequest } from '../../../../src/conversation/brains/index.ts';
import type { AgentMessaging, CallGuards } from '../../../../src/conversation/calls/index.ts';
import { tenantScopeOf } from '../../../../src/foundation/access/index.ts';
import { SYSTEM_ACTOR } from '../../../../src/foundation/audit/index.ts';
import type { Storage } from '../../../../src/foundation/storage/index.ts';
import { callKnowledge } from '../../../../src/main/knowledge.ts';
import type { EngineOptions } from '../../../../src/media/engine/index.ts';
import { answerModel, holdModel, lineOccupant } from '../../../../src/speech/amd/index.ts';
import { callVoices, type ResolveVoice, StockVoices } from '../../../../src/speech/voices/index.ts';
import { OneKeyAccess } from '../../server/fixtures/access.ts';
import { agentServices } from '../agents/server.ts';
import { openKnowledge } from '../knowledge/server.ts';
import { Client, openOmni, VOICE } from './server.ts';

export type Answer = string | { readonly tool: string; readonly args: Record<string, unknown> };

function scripted(...answers: Answer[]) {
  const asked: BrainRequest[] = [];
  let calls = 0;
  async function* respond(request: BrainRequest): AsyncGenerator<BrainEvent> {
    asked.push(request);
    const answer = answers.shift() ?? 'All right.';
    if (typeof answer === 'string') yield { kind: 'text', text: answer };
    else {
      const call = { id: `c${++calls}`, name: answer.tool, arguments: JSON.stringify(answer.args) };
      yield { kind: 'tool_call', call };
    }
  }
  const brain: Brain = { name: 'scripted', respond };
  return { brain, asked, answer: (...more: Answer[]) => void answers.push(...more) };
}

export async function openAgent(
  body: Partial<AgentBody>,
  {
    answers = [],
    tools = [],
    texts = null,
    engine,
    voices,
    guards,
  }: {
    answers?: Answer[];
    tools?: Record<string, unknown>[];
    texts?: AgentMessaging | null;
    engine?: EngineOptions;
    voices?: (storage: Storage) => ResolveVoice;
    guards?: CallGuards;
  } = {},
) {
  const { brain, asked, answer } = scripted(...answers);
  const knowledge = await openKnowledge({ wordsAlone: true });
  let services: ReturnType<typeof agentServices> | undefined;
  const server = await openOmni({
    brain,
    ...(engine === undefined ? {} : { engine }),
    ...(voices === undefined ? {} : { voices }),
    ...(guards === undefined ? {} : { guards: () => guards }),
    agents: (storage) => {
      const known = voices === undefined ? {} : { voices: callVoices(new StockVoices(), voices(storage)) };
      services = agentServices(storage, known);
      const models = { answers: answerModel(), holds: holdModel() };
      const hearLine = (text: string) => lineOccupant(text, models);
      return {
        profiles: services.profiles,
        tools: services.toolProvider,
        memories: services.memories,
        classifyLine: hearLine,
        messaging: () => texts,
        knowledge: callKnowledge(knowledge.service),
      };
    },
  });
  const scope = tenantScopeOf(server.access.principal());
  const made = await Promise.all(
    tools.map((tool) => services!.editing.create(scope, tool as never, SYSTEM_ACTOR)),
  );
  const agent = await services!.agents.create(
    scope,
    { name: 'Maya', voice_id: VOICE, tool_ids: made.map(({ id }) => id), ...body },
    false,
  );
  const connect = async (configure: Record<string, unknown> = {}, label = agent.id) => {
    const client = await new Client(server.url, `format=pcm16&rate=8000&session_label=${label}`).opened();
    client.control({ type: 'configure', ...configure });
    const ack = await client.event('configured');
    return { client, ack };
  };
  const record = async (id: unknown) => {
    const response = await fetch(`${server.url}/v1/omni/calls/${String(id)}`, {
      headers: { authorization: `Bearer ${OneKeyAccess.KEY}` },
    });
    return (await response.json()) as Record<string, unknown>;
  };
  return { ...server, knowledge, services: services!, scope, agent, asked, answer, connect, record };
}

export const agentSaid = (client: Client, text: RegExp) =>
  client.until(() =>
    client.transcripts.find((one) => one.role === 'agent' && one.final && text.test(one.text)),
  );

export async function hangUp(client: Client): Promise<void> {
  client.control({ type: 'end' });
  await client.closed();
}
