import { type ExportReader, ImportError } from '../export-reader.ts';
import { type Comparison, type FlowDraft, slotsOf } from './flow-draft.ts';

const CANVAS = [
  'display_position',
  'begin_tag_display_position',
  'notes',
  'model_choice',
  'model_temperature',
];

export function fromRetellFlow(draft: FlowDraft, file: ExportReader): void {
  if (!file.at('nodes').isThere)
    throw new ImportError('the file is not a Retell conversation flow: nodes are missing');
  file.skip('conversation_flow_id', 'last_modification_timestamp', 'version', 'start_speaker', ...CANVAS);
  draft.persona(file.at('global_prompt').text());
  const nodes = file.at('nodes').items();
  const first = nodes[0]?.at('id').text() ?? '';
  draft.start(file.at('start_node_id').text() ?? first);
  const tools = new Map(
    file
      .at('tools')
      .items()
      .map((tool) => [tool.at('tool_id').text() ?? '', tool.at('name').text() ?? '']),
  );
  for (const node of nodes) convertNode(draft, node, tools);
}

const idOf = (node: ExportReader): string => node.at('id').text() ?? node.path;

function convertNode(draft: FlowDraft, node: ExportReader, tools: ReadonlyMap<string, string>): void {
  node.skip('name', 'display_position', 'model_choice');
  const id = idOf(node);
  const label = node.at('name').text();
  const common = label === undefined ? {} : { label: label.slice(0, 100) };
  const instruction = node.at('instruction');
  const said = instruction.at('type').text() === 'static_text';
  const words = instruction.at('text').text() ?? '';
  const spoken = words === '' ? {} : said ? { say: words } : { instruction: words };
  const type = node.at('type').text();
  switch (type) {
    case 'conversation':
    case 'subagent':
      draft.node(node, id, {
        type: 'say',
        ...common,
        ...spoken,
        ...(node.at('always_edge').isThere ? { attempts: 1 } : {}),
      });
      break;
    case 'end':
      draft.node(node, id, { type: 'end', ...common, ...spoken });
      break;
    case 'function':
      unspoken(draft, node, said, words);
      draft.node(node, id, {
        type: 'tool',
        ...common,
        tool: tools.get(node.at('tool_id').text() ?? '') || node.at('tool_id').text() || 'tool',
        ...(said ? spoken : {}),
      });
      node.skip('tool_type', 'wait_for_result');
      break;
    case 'transfer_call':
      unspoken(draft, node, said, words);
      convertTransfer(draft, node, id, { ...common, ...(said ? spoken : {}) });
      return;
    case 'agent_swap':
      unspoken(draft, node, said, words);
      draft.change(
        node.path,
        `the agent ${node.at('agent_id').text() ?? ''} is a separate agent: replace this node with a handoff to it`,
      );
      draft.node(node, id, { type: 'transfer', ...common, ...(said ? spoken : {}), to: 'desk' });
      exit(draft, id, node.at('edge'), { result: 'failed' });
      return;
    case 'branch':
    case 'extract_dynamic_variables':
      convertDecision(draft, node, id, common, type);
      break;
    case 'sms':
      draft.node(node, id, { type: 'message', ...common, body: words || 'Hello.' });
      exit(draft, id, node.at('success_edge'), { result: 'ok' });
      exit(draft, id, node.at('failed_edge'), { result: 'failed' });
      return;
    default:
      draft.change(
        node.path,
        `a node of type ${type} has no counterpart; it was imported as a step of the model`,
      );
      draft.node(node, id, { type: 'say', ...common, ...spoken });
  }
  convertEdges(draft, node, id);
  const everywhere = node.at('global_node_setting');
  const condition = everywhere.at('condition').text();
  if (condition !== undefined) draft.globalIntent(id, condition);
}

/** A tool or a transfer speaks fixed words alone. */
function unspoken(draft: FlowDraft, node: ExportReader, isFixed: boolean, words: string): void {
  if (!isFixed && words !== '')
    draft.change(node.at('instruction').path, 'the model says nothing in this step: write the words in say');
}

const TRANSFER_KINDS: Readonly<Record<string, string>> = { cold_transfer: 'cold', warm_transfer: 'warm' };

function convertTransfer(
  draft: FlowDraft,
  node: ExportReader,
  id: string,
  rest: Record<string, unknown>,
): void {
  const to = node.at('transfer_destination');
  const number = to.at('number').text() ?? to.at('prompt').text();
  to.skip('type');
  const option = node.at('transfer_option');
  const manner = option.at('type').text();
  const kind = manner === undefined ? undefined : TRANSFER_KINDS[manner];
  const how = kind === undefined ? {} : { kind };
  draft.node(node, id, { type: 'transfer', ...rest, to: number?.slice(0, 128) || 'desk', ...how });
  if (number === undefined) draft.change(to.path, 'no number is set; the transfer goes to "desk"');
  if (manner !== undefined && kind === undefined)
    draft.change(option.path, `${manner} has no counterpart; the transfer is warm`);
  exit(draft, id, node.at('edge'), { result: 'failed' });
}

/** Retell's model extracts values from the conversation; the flow asks for them, and a branch decides by rules. */
function convertDecision(
  draft: FlowDraft,
  node: ExportReader,
  id: string,
  common: { readonly label?: string },
  type: string,
): void {
  const fields = node
    .at('variables')
    .items()
    .map((field) => ({
      name: field.at('name').text() ?? 'value',
      type: field.at('type').text() ?? 'string',
      description: field.at('description').text(),
      options: field.at('choices').texts(),
    }));
  if (type === 'branch') draft.node(node, id, { type: 'decide', ...common });
  else draft.node(node, id, { type: 'ask', ...common, slots: slotsOf(fields) });
}

function convertEdges(draft: FlowDraft, node: ExportReader, id: string): void {
  for (const edge of node.at('edges').items()) exit(draft, id, edge);
  const isSpoken = ['conversation', 'subagent'].includes(node.at('type').text() ?? '');
  for (const name of ['always_edge', 'else_edge', 'skip_response_edge']) {
    const edge = node.at(name);
    if (!edge.isThere) continue;
    edge.at('transition_condition').whole();
    edge.skip('id');
    const to = edge.at('destination_node_id').text();
    if (to === undefined) continue;
    // Retell takes this edge once the caller has answered.
    if (name === 'always_edge' && isSpoken) draft.edge(id, to, { attempts: true });
    else draft.edge(id, to);
  }
}

function exit(
  draft: FlowDraft,
  from: string,
  edge: ExportReader,
  when?: { readonly result: 'ok' | 'failed' },
): void {
  edge.skip('id');
  const to = edge.at('destination_node_id').text();
  const condition = edge.at('transition_condition');
  if (to === undefined) {
    condition.whole();
    return;
  }
  if (when !== undefined) {
    condition.whole();
    draft.edge(from, to, when);
    return;
  }
  if (condition.at('type').text() === 'equation') {
    const comparisons = condition
      .at('equations')
      .items()
      .map(
        (one): Comparison => ({
          left: one.at('left').text() ?? '',
          operator: one.at('operator').text() ?? '',
          right: one.at('right').text(),
        }),
      );
    const rule = draft.rule(condition, comparisons, condition.at('operator').text() === '||');
    if (rule !== undefined) draft.edge(from, to, { rule });
    else
      draft.intentEdge(
        from,
        to,
        comparisons.map(({ left, operator, right }) => `${left} ${operator} ${right ?? ''}`).join(' '),
      );
    return;
  }
  draft.intentEdge(from, to, condition.at('prompt').text() ?? 'goes on');
}
