/**
 * Runs workflows of our n8n node by n8n's own engine: n8n_workflow.cjs NODE_PACKAGE BASE_URL KEY REQUESTS -> JSON.
 * REQUESTS is a JSON list of { parameters, file?, wrongKey?, continueOnFail? }; one workflow runs for each.
 */
const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { createRequire } = require('node:module');

const [folder, baseUrl, apiKey, requests] = process.argv.slice(2);
const from = createRequire(join(folder, 'package.json'));
from('reflect-metadata');
const { BinaryDataService, ExecutionLifecycleHooks, WorkflowExecute } = from('n8n-core');
const { ICredentialsHelper, Workflow } = from('n8n-workflow');
const { Container } = from('@n8n/di');

const root = join(folder, 'node_modules/n8n-nodes-trunkline');
const { n8n } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const { Trunkline } = require(join(root, n8n.nodes[0]));
const { TrunklineApi } = require(join(root, n8n.credentials[0]));

/** The part of n8n's server that decrypts credentials and resolves their expressions. */
class Credentials extends ICredentialsHelper {
  constructor(key) {
    super();
    this.data = { baseUrl, apiKey: key };
  }
  getParentTypes() {
    return [];
  }
  async preAuthentication() {
    return undefined;
  }
  async authenticate(credentials, _type, request) {
    const { headers } = new TrunklineApi().authenticate.properties;
    const resolved = Object.entries(headers).map(([name, value]) => [
      name,
      value.replace(/^=/, '').replace(/\{\{\$credentials\.(\w+)\}\}/g, (_all, field) => credentials[field]),
    ]);
    return { ...request, headers: { ...request.headers, ...Object.fromEntries(resolved) } };
  }
  async getDecrypted() {
    return { ...this.data };
  }
  getCredentialsProperties() {
    return new TrunklineApi().properties;
  }
}

const begin = (item) => ({
  description: {
    displayName: 'Start',
    name: 'start',
    group: ['input'],
    version: 1,
    defaults: { name: 'Start' },
    inputs: [],
    outputs: ['main'],
    properties: [],
  },
  execute: async () => [[item]],
});

async function run({ parameters, file, wrongKey, continueOnFail }) {
  const item = { json: {} };
  if (file) {
    const data = readFileSync(file).toString('base64');
    item.binary = { data: { data, mimeType: 'audio/wav', fileName: 'said.wav' } };
  }
  const types = { 'test.start': begin(item), 'n8n-nodes-trunkline.trunkline': new Trunkline() };
  const nodeTypes = {
    getByName: (name) => types[name],
    getByNameAndVersion: (name) => types[name],
    getKnownTypes: () => ({}),
  };
  const node = (name, type, rest) => ({
    id: name,
    name,
    type,
    typeVersion: 1,
    position: [0, 0],
    parameters: {},
    ...rest,
  });
  const workflow = new Workflow({
    id: 'w',
    active: false,
    nodeTypes,
    settings: {},
    nodes: [
      node('Start', 'test.start'),
      node('Trunkline', 'n8n-nodes-trunkline.trunkline', {
        parameters,
        credentials: { trunklineApi: { id: 'c', name: 'c' } },
        ...(continueOnFail ? { onError: 'continueRegularOutput' } : {}),
      }),
    ],
    connections: { Start: { main: [[{ node: 'Trunkline', type: 'main', index: 0 }]] } },
  });
  const additionalData = {
    credentialsHelper: new Credentials(wrongKey ? 'svc_live_wrong' : apiKey),
    hooks: new ExecutionLifecycleHooks('manual', 'e', { id: 'w', name: 'w' }),
    executionId: 'e',
    variables: {},
    restApiUrl: '',
    instanceBaseUrl: '',
    webhookBaseUrl: '',
    logAiEvent: () => {},
    setExecutionStatus: () => {},
    sendDataToUI: () => {},
  };
  const { data } = await new WorkflowExecute(additionalData, 'manual').run(
    workflow,
    workflow.getNode('Start'),
  );
  const [done] = data.resultData.runData.Trunkline ?? [];
  const [out] = done?.data?.main?.[0] ?? [];
  const { error = done?.error } = data.resultData;
  return {
    json: out?.json,
    binary: out?.binary && {
      type: out.binary.data.mimeType,
      name: out.binary.data.fileName,
      bytes: Buffer.from(out.binary.data.data, 'base64').length,
    },
    error: error && { message: error.message, description: error.description, code: error.httpCode },
  };
}

async function main() {
  await Container.get(BinaryDataService).init();
  const done = [];
  for (const request of JSON.parse(requests)) done.push(await run(request));
  console.log(JSON.stringify(done));
  process.exit(0);
}

void main();
