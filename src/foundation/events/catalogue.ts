import type { Static } from 'typebox';
import { AMD_DECIDED, AMD_MESSAGE_ENDED, AmdCallRecord } from './data/amd.ts';
import { CREDIT_LOW, CreditLowTold, INVOICE_ISSUED, InvoiceTold } from './data/billing.ts';
import { CastRenderTold, RENDER_COMPLETED } from './data/cast.ts';
import { CASE_UPDATED, CaseTold } from './data/compliance.ts';
import { DUB_DONE, DUB_ERROR, DubTold } from './data/dub.ts';
import { JOB_COMPLETED, JOB_FAILED, JobTold } from './data/hear.ts';
import { TEST, TestTold } from './data/integrations.ts';
import { CRAWL_INDEXED, CrawlTold } from './data/knowledge.ts';
import {
  HANDED_OVER,
  MESSAGE_DELIVERED,
  MESSAGE_FAILED,
  MESSAGE_RECEIVED,
  MessageHandOverRecord,
  MessageRecord,
} from './data/messages.ts';
import { MSGAPP_CALL_ENDED, MsgappCallTold } from './data/msgapp.ts';
import { EndedCall, EXTRACTED, ExtractedCall, OMNI_CALL_ENDED } from './data/omni.ts';
import { RECAP, RecapRecord } from './data/recap.ts';
import {
  CALL_ANSWERED,
  CALL_ENDED,
  CALL_ONE_WAY,
  CAMPAIGN_DONE,
  CampaignTold,
  TelephonyCallRecord,
  TelephonyVoicemailRecord,
  VOICEMAIL,
} from './data/telephony.ts';
import { INTERACTION, TraceInteraction } from './data/trace.ts';
import { type EventEntry, event, type Frozen } from './event.ts';

/** Every event that the product tells anybody of: webhooks take no other, and none with other data. */
export const EVENTS = {
  'transcription.job.completed': event('A transcription job has its result.', JobTold, JOB_COMPLETED),
  'transcription.job.failed': event('A transcription job has failed for good.', JobTold, JOB_FAILED),
  'amd.decided': event('It is known who or what answered a call.', AmdCallRecord, AMD_DECIDED),
  'amd.message_ended': event(
    'The message of a machine that answered a call is over: one can be left now.',
    AmdCallRecord,
    AMD_MESSAGE_ENDED,
  ),
  'recap.complete': event(
    'The record of a call is made; told to the webhook of Recap’s settings.',
    RecapRecord,
    RECAP,
  ),
  'recap.call.completed': event('The record of a call is made; told to destinations.', RecapRecord, RECAP),
  'recap.call.corrected': event(
    'A person has corrected who spoke in a call; its record was made anew, and has the next version.',
    RecapRecord,
    { ...RECAP, version: 2 },
  ),
  'omni.call.ended': event(
    'A call with an agent is over, however it ended; its record can be read.',
    EndedCall,
    OMNI_CALL_ENDED,
  ),
  'omni.call.extracted': event(
    'What an agent’s extraction schema asks for was looked for in a call that is over; told once for each call.',
    ExtractedCall,
    EXTRACTED,
  ),
  'trace.interaction.evaluated': event(
    'A conversation was held against the rules.',
    TraceInteraction,
    INTERACTION,
  ),
  'message.received': event('Somebody wrote to one of your numbers.', MessageRecord, MESSAGE_RECEIVED),
  'message.delivered': event('A message has arrived.', MessageRecord, MESSAGE_DELIVERED),
  'message.failed': event('A message has not arrived, and never will.', MessageRecord, MESSAGE_FAILED),
  'message.handed_over': event(
    'A written conversation has gone to a person: its agent handed it over, or the person took it. The agent is silent there from now on.',
    MessageHandOverRecord,
    HANDED_OVER,
  ),
  'telephony.call.answered': event(
    'Somebody has answered a telephone call.',
    TelephonyCallRecord,
    CALL_ANSWERED,
  ),
  'telephony.call.one_way': event(
    'A telephone call is answered, and nothing has come from its other side for five seconds.',
    TelephonyCallRecord,
    CALL_ONE_WAY,
  ),
  'telephony.call.ended': event(
    'A telephone call is over, however it ended.',
    TelephonyCallRecord,
    CALL_ENDED,
  ),
  'telephony.voicemail.received': event(
    'A caller has left a message; what was said is known, or why not.',
    TelephonyVoicemailRecord,
    VOICEMAIL,
  ),
  'telephony.campaign.done': event(
    'Every target of a campaign has been called, or will not be called again.',
    CampaignTold,
    CAMPAIGN_DONE,
  ),
  'msgapp.call.ended': event(
    'A call by a messaging app is over, however it ended.',
    MsgappCallTold,
    MSGAPP_CALL_ENDED,
  ),
  'compliance.case.updated': event(
    'A compliance case has changed: its evidence, its state, or what the network says of it.',
    CaseTold,
    CASE_UPDATED,
  ),
  'knowledge.crawl.indexed': event(
    'No page that a crawl found is on its way any more: each is indexed, or has failed.',
    CrawlTold,
    CRAWL_INDEXED,
  ),
  'cast.render.completed': event('A render of a cast can be downloaded.', CastRenderTold, RENDER_COMPLETED),
  'billing.credit.low': event(
    'The balance has fallen below a tenth of the credit that was added last; told to each project, once until credit is added.',
    CreditLowTold,
    CREDIT_LOW,
  ),
  'billing.invoice.issued': event(
    'The invoice of a month is issued; told to each project.',
    InvoiceTold,
    INVOICE_ISSUED,
  ),
  'dub.done': event('A dub can be downloaded.', DubTold, DUB_DONE),
  'dub.error': event('A dub has ended in error; a render goes on where it stopped.', DubTold, DUB_ERROR),
  'integration.test': event('Somebody tries a destination out.', TestTold, TEST),
} as const satisfies Readonly<Record<string, EventEntry>>;

export type EventType = keyof typeof EVENTS;
export type EventData<T extends EventType> = Frozen<Static<(typeof EVENTS)[T]['data']>>;

/** Something that happened, as it is told. */
export type Happened = {
  readonly [T in EventType]: { readonly type: T; readonly data: EventData<T> };
}[EventType];

export const EVENT_TYPES = Object.keys(EVENTS) as readonly EventType[];

export const isEventType = (text: string): text is EventType => Object.hasOwn(EVENTS, text);
