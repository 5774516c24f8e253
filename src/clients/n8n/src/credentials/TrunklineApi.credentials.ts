import type {
  IAuthenticateGeneric,
  ICredentialTestRequest,
  ICredentialType,
  INodeProperties,
} from 'n8n-workflow';

export class TrunklineApi implements ICredentialType {
  name = 'trunklineApi';
  displayName = 'Trunkline API';
  properties: INodeProperties[] = [
    {
      displayName: 'Server',
      name: 'baseUrl',
      type: 'string',
      default: '',
      placeholder: 'https://voice.example.com',
      required: true,
    },
    {
      displayName: 'API Key',
      name: 'apiKey',
      type: 'string',
      typeOptions: { password: true },
      default: '',
      required: true,
    },
  ];
  authenticate: IAuthenticateGeneric = {
    type: 'generic',
    properties: { headers: { Authorization: '=Bearer {{$credentials.apiKey}}' } },
  };
  test: ICredentialTestRequest = { request: { baseURL: '={{$credentials.baseUrl}}', url: '/v1/models' } };
}
