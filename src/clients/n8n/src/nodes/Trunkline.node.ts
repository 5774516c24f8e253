import {
  type IDataObject,
  type IExecuteFunctions,
  type IHttpRequestOptions,
  type INodeExecutionData,
  type INodeType,
  type INodeTypeDescription,
  type JsonObject,
  NodeApiError,
  NodeOperationError,
} from 'n8n-workflow';
import { PROPERTIES } from './properties.js';

type Operation = (this: IExecuteFunctions, item: number) => Promise<INodeExecutionData>;

export class Trunkline implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Trunkline',
    name: 'trunkline',
    icon: 'file:trunkline.svg',
    group: ['transform'],
    version: 1,
    subtitle: '={{ $parameter.operation }}',
    description: 'Transcribe, speak, and call people with a voice agent',
    defaults: { name: 'Trunkline' },
    inputs: ['main'],
    outputs: ['main'],
    usableAsTool: true,
    credentials: [{ name: 'trunklineApi', required: true }],
    properties: PROPERTIES,
  };

  async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    const done: INodeExecutionData[] = [];
    for (let item = 0; item < this.getInputData().length; item++) {
      try {
        const operation = OPERATIONS[this.getNodeParameter('operation', item) as string];
        if (!operation)
          throw new NodeOperationError(this.getNode(), 'There is no such operation', { itemIndex: item });
        done.push({ ...(await operation.call(this, item)), pairedItem: { item } });
      } catch (error) {
        const told =
          error instanceof NodeOperationError || error instanceof NodeApiError
            ? error
            : new NodeApiError(this.getNode(), error as JsonObject, { itemIndex: item });
        if (!this.continueOnFail()) throw told;
        done.push({ json: { error: told.message }, pairedItem: { item } });
      }
    }
    return [done];
  }
}

async function ask(
  node: IExecuteFunctions,
  item: number,
  options: Omit<IHttpRequestOptions, 'url'> & { readonly path: string },
): Promise<unknown> {
  const { baseUrl } = await node.getCredentials<{ baseUrl: string }>('trunklineApi', item);
  const { path, ...rest } = options;
  const url = baseUrl.replace(/\/+$/, '') + path;
  return node.helpers.httpRequestWithAuthentication.call(node, 'trunklineApi', { ...rest, url });
}

const OPERATIONS: Readonly<Record<string, Operation>> = {
  async transcribe(item) {
    const property = this.getNodeParameter('binaryProperty', item) as string;
    const { fileName = 'audio', mimeType } = this.helpers.assertBinaryData(item, property);
    const bytes = await this.helpers.getBinaryDataBuffer(item, property);
    const form = new FormData();
    form.append('file', new Blob([new Uint8Array(bytes)], { type: mimeType }), fileName);
    const hasSpeakers = this.getNodeParameter('speakers', item) as boolean;
    form.append('response_format', hasSpeakers ? 'diarized_json' : 'verbose_json');
    const language = this.getNodeParameter('language', item) as string;
    if (language !== '') form.append('language', language);
    // n8n's request takes no form of the standard library: it is sent as its bytes.
    const encoded = new Response(form);
    const json = await ask(this, item, {
      method: 'POST',
      path: '/v1/audio/transcriptions',
      body: Buffer.from(await encoded.arrayBuffer()),
      headers: { 'content-type': encoded.headers.get('content-type') ?? '' },
    });
    return { json: (typeof json === 'string' ? JSON.parse(json) : json) as IDataObject };
  },

  async speak(item) {
    const format = this.getNodeParameter('format', item) as string;
    const voice = this.getNodeParameter('voice', item) as string;
    const { body, headers } = (await ask(this, item, {
      method: 'POST',
      path: '/v1/audio/speech',
      body: {
        input: this.getNodeParameter('text', item) as string,
        response_format: format,
        ...(voice === '' ? {} : { voice }),
      },
      encoding: 'arraybuffer',
      returnFullResponse: true,
    })) as { body: ArrayBuffer; headers: Record<string, string> };
    const property = this.getNodeParameter('outputProperty', item) as string;
    const audio = await this.helpers.prepareBinaryData(
      Buffer.from(body),
      `speech.${format}`,
      headers['content-type'],
    );
    return { json: { voice: headers['x-svc-voice'] ?? '' }, binary: { [property]: audio } };
  },

  async call(item) {
    const given = this.getNodeParameter('variables', item) as string | IDataObject;
    const json = await ask(this, item, {
      method: 'POST',
      path: '/v1/telephony/calls',
      body: {
        to: this.getNodeParameter('to', item) as string,
        from: this.getNodeParameter('from', item) as string,
        agent_id: this.getNodeParameter('agentId', item) as string,
        variables: typeof given === 'string' ? (JSON.parse(given) as IDataObject) : given,
      },
      json: true,
    });
    return { json: json as IDataObject };
  },

  async getCall(item) {
    const id = this.getNodeParameter('callId', item) as string;
    const path = `/v1/calls/${encodeURIComponent(id)}`;
    return { json: (await ask(this, item, { method: 'GET', path, json: true })) as IDataObject };
  },
};
