import { type ExportReader, ImportError } from '../export-reader.ts';
import type { FlowDraft } from './flow-draft.ts';

export function fromElevenLabsFlow(draft: FlowDraft, file: ExportReader): void {
  const inside = file.at('conversation_config').at('workflow');
  const workflow = file.at('workflow').isThere ? file.at('workflow') : inside.isThere ? inside : file;
  const nodes = workflow.at('nodes').entries();
  if (nodes.length === 0) throw new ImportError('the file is not an ElevenLabs workflow: nodes are missing');
  draft.persona(file.at('conversation_config').at('agent').at('prompt').at('prompt').text());
  workflow.skip('prevent_subagent_loops');
  const edges = workflow
    .at('edges')
    .entries()
    .map(([, edge]) => edge);
  const start = nodes.find(([, node]) => node.at('type').text() === 'start')?.[0] ?? nodes[0]?.[0] ?? '';
  const begins = edges.filter((edge) => edge.at('source').text() === start);
  const [first] = begins;
  const isDirect = begins.length === 1 && !isConditional(first?.at('forward_condition'));
  draft.start(isDirect ? (first?.at('target').text() ?? start) : start);
  for (const [id, node] of nodes) {
    if (id !== start || first === undefined) convertNode(draft, id, node);
    else if (!isDirect) convertStart(draft, id, node, file);
  }
  nodes.find(([id]) => id === start)?.[1].skip('type', 'position', 'edge_order');
  for (const edge of edges) convertEdge(draft, edge, isDirect ? start : null);
}

const isConditional = (condition: ExportReader | undefined): boolean => {
  const type = condition?.at('type').text();
  return type !== undefined && type !== 'unconditional';
};

/** The agent itself speaks until one of the conditions of its start holds. */
function convertStart(draft: FlowDraft, id: string, node: ExportReader, file: ExportReader): void {
  const greeting = file.at('conversation_config').at('agent').at('first_message').text();
  draft.node(node, id, {
    type: 'say',
    instruction: 'Find out what the caller wants.',
    ...(greeting ? { say: greeting } : {}),
  });
}

function convertNode(draft: FlowDraft, id: string, node: ExportReader): void {
  node.skip('position', 'edge_order', 'entry_behavior');
  const label = node.at('label').text();
  const common = label === undefined ? {} : { label: label.slice(0, 100) };
  const type = node.at('type').text();
  switch (type) {
    case 'override_agent': {
      const override = node.at('conversation_config').at('agent').at('prompt').at('prompt').text();
      const instruction = node.at('additional_prompt').text() || override;
      draft.node(node, id, { type: 'say', ...common, ...(instruction ? { instruction } : {}) });
      return;
    }
    case 'say': {
      const message = node.at('message');
      const words = message.at('text').text() ?? message.at('prompt').text();
      const isFixed = message.at('type').text() !== 'prompt';
      draft.node(node, id, {
        type: 'say',
        ...common,
        ...(words ? (isFixed ? { say: words } : { instruction: words }) : {}),
      });
      return;
    }
    case 'tool': {
      const [tool, ...others] = node.at('tools').items();
      draft.node(node, id, { type: 'tool', ...common, tool: tool?.at('tool_id').text()?.slice(0, 64) ?? id });
      if (others.length > 0) draft.change(node.at('tools').path, 'only the first tool of the node is called');
      draft.change(node.path, 'the export references tools by ID: set the name of the tool in the node');
      return;
    }
    case 'phone_number': {
      const to = node.at('transfer_destination');
      to.skip('type');
      const number = to.at('phone_number').text() ?? to.at('sip_uri').text();
      const how = node.at('transfer_type').text() === 'sip_refer' ? { kind: 'cold' } : {};
      draft.node(node, id, { type: 'transfer', ...common, to: number?.slice(0, 128) ?? 'desk', ...how });
      return;
    }
    case 'standalone_agent': {
      const words = node.at('transfer_message').text();
      draft.change(
        node.path,
        `the agent ${node.at('agent_id').text() ?? ''} is a separate agent: replace this node with a handoff to it`,
      );
      draft.node(node, id, { type: 'transfer', ...common, ...(words ? { say: words } : {}), to: 'desk' });
      return;
    }
    case 'end':
      draft.node(node, id, { type: 'end', ...common });
      return;
    default:
      draft.change(
        node.path,
        `a node of type ${type} has no counterpart; it was imported as a step of the model`,
      );
      draft.node(node, id, { type: 'say', ...common });
  }
}

function convertEdge(draft: FlowDraft, edge: ExportReader, start: string | null): void {
  const from = edge.at('source').text() ?? '';
  const to = edge.at('target').text() ?? '';
  if (from === start) edge.at('forward_condition').whole();
  else convertCondition(draft, edge.at('forward_condition'), from, to);
  const back = edge.at('backward_condition');
  if (back.isThere && from !== start) convertCondition(draft, back, to, from);
}

function convertCondition(draft: FlowDraft, condition: ExportReader, from: string, to: string): void {
  const type = condition.at('type').text();
  const label = condition.at('label').text();
  if (type === 'llm') draft.intentEdge(from, to, condition.at('condition').text() ?? label ?? 'goes on');
  else if (type === 'result')
    draft.edge(from, to, { result: condition.at('successful').flag() === false ? 'failed' : 'ok' });
  else if (type === 'expression') {
    draft.change(condition.path, 'the model evaluates this expression: write it as a rule');
    draft.intentEdge(from, to, label ?? 'the condition holds');
    condition.at('expression').whole();
  } else draft.edge(from, to);
}
