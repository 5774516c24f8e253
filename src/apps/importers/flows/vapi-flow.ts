import { type ExportReader, ImportError } from '../export-reader.ts';
import { type FlowDraft, slotsOf } from './flow-draft.ts';

const BOOKKEEPING = ['id', 'orgId', 'createdAt', 'updatedAt', 'name', 'metadata'];

export function fromVapiFlow(draft: FlowDraft, file: ExportReader): void {
  file.skip(...BOOKKEEPING);
  if (file.at('members').isThere) convertSquad(draft, file);
  else if (file.at('nodes').isThere) convertWorkflow(draft, file);
  else
    throw new ImportError(
      'the file is neither a Vapi workflow nor a Vapi squad: nodes and members are missing',
    );
}

function convertWorkflow(draft: FlowDraft, file: ExportReader): void {
  draft.persona(file.at('globalPrompt').text());
  const nodes = file.at('nodes').items();
  const names = nodes.map((node) => node.at('name').text() ?? node.path);
  const edges = file
    .at('edges')
    .items()
    .map((edge) => {
      edge.skip('metadata');
      const condition = edge.at('condition');
      condition.skip('type');
      return {
        from: edge.at('from').text() ?? '',
        to: edge.at('to').text() ?? '',
        prompt: condition.at('prompt').text()?.trim() ?? '',
      };
    });
  const start = nodes.findIndex((node) => node.at('isStart').flag() === true);
  draft.start(names[Math.max(0, start)] ?? '');
  for (const [at, node] of nodes.entries()) convertNode(draft, node, names[at] as string);
  for (const { from, to, prompt } of edges)
    if (prompt === '') draft.edge(from, to);
    else draft.intentEdge(from, to, prompt);
}

function convertNode(draft: FlowDraft, node: ExportReader, name: string): void {
  node.skip('metadata');
  const label = { label: name.slice(0, 100) };
  if (node.at('type').text() === 'tool') {
    convertToolNode(draft, node, name, label);
    return;
  }
  const instruction = node.at('prompt').text() ?? node.at('messagePlan').at('firstMessage').text();
  const greeting = node.at('messagePlan').at('firstMessage').text();
  const fields = extracted(node.at('variableExtractionPlan'));
  const words = {
    ...(instruction ? { instruction } : {}),
    ...(greeting && greeting !== instruction ? { say: greeting } : {}),
  };
  draft.node(node, name, { type: 'say', ...label, ...words });
  draft.slots(name, slotsOf(fields));
  const everywhere = node.at('globalNodePlan');
  const condition = everywhere.at('enterCondition').text();
  if (everywhere.at('enabled').flag() === true && condition) draft.globalIntent(name, condition);
}

/** The editor of workflows exports a list in `output`, the API a JSON schema. */
function extracted(plan: ExportReader) {
  plan.at('schema').skip('type', 'required');
  const listed = plan
    .at('output')
    .items()
    .map((about): [string, ExportReader] => [about.at('title').text() ?? 'value', about]);
  return [...listed, ...plan.at('schema').at('properties').entries()].map(([name, about]) => ({
    name,
    type: about.at('type').text() ?? 'string',
    description: about.at('description').text(),
    options: about.at('enum').texts(),
  }));
}

function convertToolNode(
  draft: FlowDraft,
  node: ExportReader,
  name: string,
  label: { readonly label: string },
): void {
  const tool = node.at('tool');
  const type = tool.at('type').text();
  if (type === 'endCall' || type === 'hangup') {
    draft.node(node, name, { type: 'end', ...label });
    return;
  }
  if (type === 'transferCall') {
    const [first, ...others] = tool.at('destinations').items();
    first?.skip('type');
    const to = first?.at('number').text() ?? first?.at('sipUri').text();
    draft.node(node, name, { type: 'transfer', ...label, to: to?.slice(0, 128) ?? 'desk' });
    if (others.length > 0) draft.change(tool.path, 'only the first destination was imported');
    return;
  }
  const called = tool.at('function').at('name').text() ?? tool.at('name').text() ?? node.at('toolId').text();
  draft.node(node, name, { type: 'tool', ...label, tool: (called ?? name).slice(0, 64) });
  draft.change(
    node.path,
    `the tool ${called ?? name} must exist: create it, or import the assistant that has it`,
  );
}

/** Each assistant of a squad becomes a step that the model leads; each handover becomes an edge. */
function convertSquad(draft: FlowDraft, file: ExportReader): void {
  const members = file.at('members').items();
  const nameOf = (member: ExportReader): string =>
    member.at('assistant').at('name').text() ?? member.at('assistantId').text() ?? member.path;
  for (const [at, member] of members.entries()) {
    const name = nameOf(member);
    if (at === 0) draft.start(name);
    const assistant = member.at('assistant');
    if (!assistant.isThere)
      draft.change(member.path, 'the assistant is referenced only by its ID: its instruction is missing');
    const prompts = assistant
      .at('model')
      .at('messages')
      .items()
      .flatMap((message) =>
        message.at('role').text() === 'system' ? (message.at('content').text() ?? []) : [],
      );
    const greeting = at === 0 ? assistant.at('firstMessage').text() : undefined;
    draft.node(member, name, {
      type: 'say',
      label: name.slice(0, 100),
      instruction: prompts.join('\n\n') || `Act as ${name}.`,
      ...(greeting === undefined ? {} : { say: greeting }),
    });
    for (const to of [...member.at('assistantDestinations').items(), ...handoffs(assistant)]) {
      to.skip('type', 'message', 'transferMode');
      const target = to.at('assistantName').text() ?? to.at('assistantId').text();
      if (target !== undefined)
        draft.intentEdge(name, target, to.at('description').text() ?? `needs ${target}`);
    }
  }
  draft.change(
    'members',
    'a squad of assistants becomes one agent: all assistants have one voice and share their tools',
  );
}

/** Newer squads hand over by tools of their assistants. */
const handoffs = (assistant: ExportReader): ExportReader[] =>
  assistant
    .at('model')
    .at('tools')
    .items()
    .filter((tool) => tool.at('type').text() === 'handoff')
    .flatMap((tool) => tool.at('destinations').items());
