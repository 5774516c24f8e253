export { type ChatEndpointOptions, createChatEndpoint } from './chat-endpoint.ts';
