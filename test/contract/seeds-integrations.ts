import { newId } from '../../src/foundation/platform/ids.ts';
import type { Seeds } from './seeds.ts';

export const INTEGRATION_SEEDS: Pick<
  Seeds,
  | 'messages'
  | 'message_opt_outs'
  | 'message_hand_overs'
  | 'call_tokens'
  | 'imported_calls'
  | 'installations'
  | 'destinations'
  | 'provider_keys'
> = {
  call_tokens: (mark, now) => ({
    provider: 'generic',
    token_hash: `${mark}-${newId('key')}`,
    key_id: newId('key'),
    created_at: now,
  }),
  imported_calls: (mark, now) => ({
    id: newId('ext'),
    provider: 'generic',
    provider_call_id: mark,
    key_id: newId('key'),
    external_id: mark,
    state: 'failed',
    error: mark,
    created_at: now,
    updated_at: now,
  }),
  installations: (mark, now) => ({
    partner: 'somewhere',
    configuration_id: mark,
    key_id: newId('key'),
    created_at: now,
  }),
  messages: (mark, now) => ({
    id: newId('msg'),
    direction: 'outbound',
    from_number: '+15005550006',
    to_number: '+15005550001',
    body: mark,
    media_urls: '[]',
    external_id: '+15005550001',
    status: 'delivered',
    created_at: now,
    updated_at: now,
  }),
  message_hand_overs: (mark, now) => ({
    id: newId('mho'),
    our_number: '+15005550006',
    external_id: mark,
    agent_id: newId('agt'),
    wanted: mark,
    summary: mark,
    message_id: newId('msg'),
    created_at: now,
  }),
  message_opt_outs: (mark, now) => ({ our_number: mark, their_number: mark, created_at: now }),
  provider_keys: (mark, now) => ({
    id: newId('pvk'),
    purpose: 'voice',
    name: mark,
    kind: 'openai',
    settings: JSON.stringify({ url: `https://${mark}.example/`, voice: mark }),
    secret: mark,
    created_at: now,
    updated_at: now,
  }),
  destinations: (mark, now) => ({
    id: newId('dst'),
    kind: 'webhook',
    name: mark,
    url: `https://${mark}.example/`,
    events: '["recap.call.completed"]',
    filters: '{}',
    event_version: '2026-11-22',
    status: 'paused',
    created_at: now,
    updated_at: now,
  }),
};
