import { type ExportReader, ImportError } from '../export-reader.ts';
import { type FlowDraft, slotsOf } from './flow-draft.ts';

export function fromDograhFlow(draft: FlowDraft, file: ExportReader): void {
  const held = file.at('workflow_definition');
  const graph = held.isThere ? held : file;
  if (!graph.at('nodes').isThere)
    throw new ImportError('the file is not a Dograh workflow: nodes are missing');
  if (held.isThere) file.skip('id', 'name', 'status', 'created_at', 'updated_at', 'version');
  graph.skip('viewport');
  for (const edge of graph.at('edges').items()) {
    edge.skip('id', 'type', 'animated', 'sourceHandle', 'targetHandle', 'invalid', 'validationMessage');
    const [from, to] = [edge.at('source').text() ?? '', edge.at('target').text() ?? ''];
    const label = edge.at('data').at('label').text();
    draft.intentEdge(from, to, edge.at('data').at('condition').text() || label || 'goes on');
  }
  for (const node of graph.at('nodes').items()) convertNode(draft, node);
}

const CANVAS = ['position', 'measured', 'selected', 'dragging', 'width', 'height'];

function convertNode(draft: FlowDraft, node: ExportReader): void {
  node.skip(...CANVAS);
  const id = node.at('id').text() ?? node.path;
  const data = node.at('data');
  const type = node.at('type').text();
  const prompt = data.at('prompt').text();
  const label = data.at('name').text();
  if (data.at('add_global_prompt').flag() === false && type !== 'globalNode')
    draft.change(node.path, 'add_global_prompt is false, but the persona holds for every step');
  data.skip('is_start', 'is_end', 'invalid', 'validationMessage', 'selected');
  if (type === 'globalNode') {
    draft.persona(prompt);
    return;
  }
  if (type === 'trigger' || type === 'webhook' || type === 'qa') {
    draft.drop(id);
    draft.change(
      node.path,
      `a node of type ${type} is not a step of a call: use numbers, webhooks and Recap instead`,
    );
    data.whole();
    return;
  }
  const common = label ? { label: label.slice(0, 100) } : {};
  const greeting = data.at('greeting_type').text() === 'audio' ? undefined : data.at('greeting').text();
  const words = {
    ...(greeting ? { say: greeting } : {}),
    ...(prompt ? { instruction: prompt } : {}),
  };
  if (type === 'startCall') draft.start(id);
  else if (type !== 'agentNode' && type !== 'endCall')
    draft.change(
      node.path,
      `a node of type ${type} has no counterpart; it was imported as a step of the model`,
    );
  draft.node(node, id, { type: type === 'endCall' ? 'end' : 'say', ...common, ...words });
  if (type === 'endCall' || data.at('extraction_enabled').flag() !== true) return;
  const variables = data
    .at('extraction_variables')
    .items()
    .map((field) => ({
      name: field.at('name').text() ?? 'value',
      type: field.at('type').text() ?? 'string',
      description: field.at('prompt').text(),
    }));
  draft.slots(id, slotsOf(variables));
}
