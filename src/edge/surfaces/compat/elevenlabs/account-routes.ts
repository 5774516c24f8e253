import type { FastifyInstance } from 'fastify';
import Type from 'typebox';

const config = { access: { kind: 'key' }, vendor: 'elevenlabs' } as const;
const tags = ['ElevenLabs clients'];
const anyQuery = Type.Object(
  {
    page_size: Type.Optional(
      Type.Unsafe<unknown>({ description: 'Accepted for compatibility; has no effect.' }),
    ),
  },
  { additionalProperties: true },
);

const LANGUAGES = [
  ['en', 'English'],
  ['es', 'Spanish'],
  ['fr', 'French'],
  ['de', 'German'],
  ['hi', 'Hindi'],
  ['it', 'Italian'],
  ['pt', 'Portuguese'],
  ['zh', 'Chinese'],
  ['ja', 'Japanese'],
] as const;
const MAX_CHARACTERS = 4096;

const Model = Type.Object({
  model_id: Type.String(),
  name: Type.String(),
  description: Type.String(),
  can_do_text_to_speech: Type.Boolean(),
  can_do_voice_conversion: Type.Boolean(),
  can_be_finetuned: Type.Boolean(),
  can_use_style: Type.Boolean(),
  can_use_speaker_boost: Type.Boolean(),
  serves_pro_voices: Type.Boolean(),
  requires_alpha_access: Type.Boolean(),
  token_cost_factor: Type.Number(),
  max_characters_request_free_user: Type.Integer(),
  max_characters_request_subscribed_user: Type.Integer(),
  maximum_text_length_per_request: Type.Integer(),
  languages: Type.Array(Type.Object({ language_id: Type.String(), name: Type.String() })),
  concurrency_group: Type.String(),
});

const MODEL = {
  model_id: 'svc-speak',
  name: 'svc-speak',
  description: 'Serves all ElevenLabs model names.',
  can_do_text_to_speech: true,
  can_do_voice_conversion: false,
  can_be_finetuned: false,
  can_use_style: false,
  can_use_speaker_boost: false,
  serves_pro_voices: false,
  requires_alpha_access: false,
  token_cost_factor: 1,
  max_characters_request_free_user: MAX_CHARACTERS,
  max_characters_request_subscribed_user: MAX_CHARACTERS,
  maximum_text_length_per_request: MAX_CHARACTERS,
  languages: LANGUAGES.map(([language_id, name]) => ({ language_id, name })),
  concurrency_group: 'standard',
};

const Subscription = Type.Object({
  tier: Type.String({ description: 'The plan.' }),
  character_count: Type.Integer({
    description: 'Always 0: characters are not counted. GET /v1/usage returns usage.',
  }),
  character_limit: Type.Integer({ description: 'A very large number: characters are not limited.' }),
  max_credit_limit_extension: Type.Integer(),
  can_extend_character_limit: Type.Boolean(),
  allowed_to_extend_character_limit: Type.Boolean(),
  next_character_count_reset_unix: Type.Integer(),
  voice_slots_used: Type.Integer(),
  professional_voice_slots_used: Type.Integer(),
  professional_voice_slots_used_in_workspace: Type.Integer(),
  voice_limit: Type.Integer(),
  voice_add_edit_counter: Type.Integer(),
  professional_voice_limit: Type.Integer(),
  can_extend_voice_limit: Type.Boolean(),
  can_use_instant_voice_cloning: Type.Boolean(),
  can_use_professional_voice_cloning: Type.Boolean(),
  current_overage: Type.Object({ amount: Type.String(), currency: Type.String() }),
  status: Type.String(),
  open_invoices: Type.Array(Type.Object({}, { additionalProperties: true })),
  has_open_invoices: Type.Boolean(),
});

const subscriptionOf = (plan: string) => ({
  tier: plan,
  character_count: 0,
  character_limit: 1_000_000_000,
  max_credit_limit_extension: 0,
  can_extend_character_limit: false,
  allowed_to_extend_character_limit: false,
  next_character_count_reset_unix: 0,
  voice_slots_used: 0,
  professional_voice_slots_used: 0,
  professional_voice_slots_used_in_workspace: 0,
  voice_limit: 1000,
  voice_add_edit_counter: 0,
  professional_voice_limit: 0,
  can_extend_voice_limit: false,
  can_use_instant_voice_cloning: true,
  can_use_professional_voice_cloning: false,
  current_overage: { amount: '0', currency: 'usd' },
  status: 'active',
  open_invoices: [],
  has_open_invoices: false,
});

const User = Type.Object({
  user_id: Type.String({ description: 'The organization.' }),
  workspace_id: Type.String({ description: 'The project.' }),
  subscription: Subscription,
  is_new_user: Type.Boolean(),
  can_use_delayed_payment_methods: Type.Boolean(),
  is_onboarding_completed: Type.Boolean(),
  is_onboarding_checklist_completed: Type.Boolean(),
  created_at: Type.Integer(),
  seat_type: Type.String(),
});

export function accountRoutes(app: FastifyInstance): void {
  app.get('/elevenlabs/v1/models', {
    config,
    schema: {
      summary: 'List models, in ElevenLabs’ format',
      tags,
      operationId: 'elevenlabs_models',
      response: { 200: Type.Array(Model) },
    },
    handler: async () => [MODEL],
  });
  app.get('/elevenlabs/v1/user', {
    config,
    schema: {
      summary: 'Get the user of the API key, in ElevenLabs’ format',
      tags,
      operationId: 'elevenlabs_user',
      response: { 200: User },
    },
    handler: async (request) => {
      const { orgId, projectId, plan } = request.caller();
      return {
        user_id: orgId,
        workspace_id: projectId,
        subscription: subscriptionOf(plan),
        is_new_user: false,
        can_use_delayed_payment_methods: false,
        is_onboarding_completed: true,
        is_onboarding_checklist_completed: true,
        created_at: 0,
        seat_type: 'workspace_member',
      };
    },
  });
  app.get('/elevenlabs/v1/user/subscription', {
    config,
    schema: {
      summary: 'Get the subscription, in ElevenLabs’ format',
      tags,
      operationId: 'elevenlabs_subscription',
      response: { 200: Subscription },
    },
    handler: async (request) => subscriptionOf(request.caller().plan),
  });
  app.get('/elevenlabs/v1/history', {
    config,
    schema: {
      summary: 'Get the generation history, which is always empty, in ElevenLabs’ format',
      tags,
      operationId: 'elevenlabs_history',
      querystring: anyQuery,
      response: {
        200: Type.Object({
          history: Type.Array(Type.Object({}, { additionalProperties: true })),
          has_more: Type.Boolean(),
        }),
      },
    },
    handler: async () => ({ history: [], has_more: false }),
  });
}
