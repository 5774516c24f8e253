import type { Brain } from '../conversation/brains/index.ts';
import type { AgentServices, CallGuards } from '../conversation/calls/index.ts';
import { createIntegrationsSurface } from '../edge/surfaces/integrations/index.ts';
import { createMessagesSurface } from '../edge/surfaces/messages/index.ts';
import { type RetentionDays, tenantScopeOfRow } from '../foundation/access/index.ts';
import type { JobQueue } from '../foundation/jobs/index.ts';
import type { Mailer } from '../foundation/mail/index.ts';
import type { ApiError } from '../foundation/platform/errors.ts';
import type { UrlGate } from '../foundation/platform/url-gate/index.ts';
import type { Webhooks } from '../foundation/webhooks/index.ts';
import {
  CallTokens,
  ImportedCalls,
  Importing,
  importedCallsPersonalData,
  importSweep,
  Receiver,
} from '../products/imports/index.ts';
import { DestinationAudience, Destinations } from '../products/integrations/index.ts';
import type { TranscriptionJobs } from '../speech/transcription/index.ts';
import { LoopbackMessages } from '../telephony/carriers/index.ts';
import type { PhoneNumberService } from '../telephony/dialling/index.ts';
import {
  AgentMessages,
  type Answerer,
  HandOvers,
  handOversPersonalData,
  MessageStore,
  Messages,
  MeteredAnswerAdmission,
  MeteredMessageBilling,
  messageSweep,
  messagesPersonalData,
  type NumberDirectory,
  TextAgent,
} from '../telephony/messages/index.ts';
import type { CoreServices } from './main.ts';
import { PURPOSES } from './sealing.ts';

export async function destinationParts(
  { access, sealing, sharedClock, storage }: CoreServices,
  webhooks: Webhooks,
  gate: UrlGate,
  mailer: Mailer | null,
) {
  const sealer = sealing.sealer(PURPOSES.destinations);
  const outside = { gate, mailer, recipients: access.recipients };
  const destinations = new Destinations({ storage, clock: sharedClock, sealer, outside });
  webhooks.setDestinations(new DestinationAudience(destinations, outside));
  return destinations;
}

export interface IntegrationNeeds {
  readonly destinations: Destinations;
  readonly webhooks: Webhooks;
  readonly queue: JobQueue;
  readonly gate: UrlGate;
  readonly jobs: TranscriptionJobs;
  readonly retention: (orgId: string) => Promise<RetentionDays>;
  readonly numbers: PhoneNumberService | null;
  readonly baseUrl: () => string;
  readonly writing: MessageAgentNeeds;
}

export interface MessageAgentNeeds {
  readonly brain: Brain;
  readonly agents: AgentServices;
  readonly guards: CallGuards;
}

export function integrationParts(services: CoreServices, needs: IntegrationNeeds) {
  const { access, sharedClock: clock, background, storage, log } = services;
  const { destinations, webhooks, queue, gate, jobs, retention, numbers, baseUrl, writing } = needs;
  const onError = (err: unknown) => log.error({ err }, 'a call from another provider could not be imported');
  const tokens = new CallTokens(storage, clock);
  const calls = new ImportedCalls(storage, clock);
  const receiver = new Receiver({
    storage,
    queue,
    clock,
    tokens,
    calls,
    standings: access.impliedPrincipals,
  });
  const importing = new Importing({
    storage,
    queue,
    access,
    standings: access.impliedPrincipals,
    jobs,
    gate,
    calls,
    onError,
  });
  const sweep = importSweep({ storage, clock, background, retention });
  const surface = createIntegrationsSurface({
    storage,
    destinations,
    webhooks,
    tokens,
    calls,
    receiver,
    baseUrl,
    start: async () => {
      importing.start();
      sweep.start();
    },
    stop: async (deadlineMs) => {
      sweep.stop();
      await importing.stop(deadlineMs);
    },
  });
  const written = messageParts(services, { webhooks, queue, gate, retention, numbers, writing });
  return {
    surfaces: [surface, written.surface],
    personalData: [importedCallsPersonalData(storage), ...written.personalData],
    texts: written.texts,
  };
}

type MessageNeeds = Pick<
  IntegrationNeeds,
  'webhooks' | 'queue' | 'gate' | 'retention' | 'numbers' | 'writing'
>;

/**
 * Stored messages of every channel can be read; they are sent only where a carrier of this server carries messages.
 */
function messageParts(services: CoreServices, needs: MessageNeeds) {
  const { storage, sharedClock: clock, background, config, log } = services;
  const { webhooks, queue, gate, retention, numbers, writing } = needs;
  const onError = (err: unknown) => log.error({ err }, 'sending or answering messages failed');
  const numberDirectory = numbers === null ? null : messageNumbers(numbers);
  const carrier = config.carrier === 'loopback' ? new LoopbackMessages(onError) : null;
  const messages =
    carrier === null || numberDirectory === null
      ? null
      : new Messages({
          storage,
          queue,
          clock,
          gate,
          webhooks,
          carrier,
          numbers: numberDirectory,
          texts: textMessaging(services),
          answering: {
            answerer: writingAgent(services, writing, numberDirectory),
            admission: messageReplies(services),
          },
          onError,
        });
  const sweep = messageSweep({ storage, clock, background, retention });
  const surface = createMessagesSurface({
    store: messages?.store ?? new MessageStore(storage, clock),
    handOvers: messages?.handOvers ?? new HandOvers(storage, clock),
    messages,
    start: async () => {
      messages?.start();
      sweep.start();
    },
    stop: async (deadlineMs) => {
      sweep.stop();
      await messages?.stop(deadlineMs);
    },
  });
  const refused = ({ code }: ApiError) => log.warn({ code }, 'a message of an agent was not sent');
  const texts =
    messages === null || numberDirectory === null
      ? null
      : new AgentMessages(messages, numberDirectory, refused);
  return { surface, personalData: [messagesPersonalData(storage), handOversPersonalData(storage)], texts };
}

const textMessaging = ({ access, billing, sharedClock: clock }: CoreServices): MeteredMessageBilling =>
  new MeteredMessageBilling({ access, billing, clock, standings: access.impliedPrincipals });

const messageReplies = ({ access, billing, sharedClock, log }: CoreServices): MeteredAnswerAdmission =>
  new MeteredAnswerAdmission({
    access,
    billing,
    clock: sharedClock,
    standings: access.impliedPrincipals,
    onRefused: ({ code }) => log.warn({ code }, 'an inbound message was not answered'),
  });

const writingAgent = (
  { clock, log }: CoreServices,
  { brain, agents, guards }: MessageAgentNeeds,
  numbers: NumberDirectory,
): Answerer =>
  new TextAgent({
    brain,
    clock,
    profiles: agents.profiles,
    tools: agents.tools,
    memories: agents.memories,
    numbers,
    onFault: (fault) => log.warn({ fault }, 'a tool could not be loaded for the answer to a message'),
    passages: async (scope, bases, query, signal) => {
      const of = { scope, bases: bases.length === 0 ? null : bases };
      return (await agents.knowledge?.passagesFor({ ...of, query }, signal)) ?? [];
    },
    guard: async (scope, agentId) => {
      const guard = await guards.guardFor(scope, agentId);
      return (
        guard && {
          writes: async (text, language) =>
            guard.spoken('', text, language) ?? (await guard.meant?.ask(text, language)) ?? null,
          reads: async (text, language) => (await guard.heard?.(text, language)) ?? null,
        }
      );
    },
  });

/** A number that carries calls carries messages too. */
const messageNumbers = (numbers: PhoneNumberService): NumberDirectory => ({
  owns: async (scope, phoneNumber) => (await numbers.owned(scope, phoneNumber)) !== null,
  ownerOf: async (phoneNumber) => {
    const row = await numbers.called(phoneNumber);
    return row === null ? null : tenantScopeOfRow(row);
  },
  agentOf: async (scope, phoneNumber) => (await numbers.owned(scope, phoneNumber))?.agent_id ?? null,
  ofAgent: async (scope, agentId) => (await numbers.ofAgent(scope, agentId))?.phone_number ?? null,
});
