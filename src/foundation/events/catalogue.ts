import type { Static } from 'typebox';
import { AMD_DECIDED, AMD_MESSAGE_ENDED, AmdCallRecord } from './data/amd.ts';
import { CREDIT_LOW, CreditLowData, INVOICE_ISSUED, InvoiceData } from './data/billing.ts';
import { CastRenderData, RENDER_COMPLETED } from './data/cast.ts';
import { CASE_UPDATED, CaseData } from './data/compliance.ts';
import { DUB_DONE, DUB_ERROR, DubEventData } from './data/dub.ts';
import { JOB_COMPLETED, JOB_FAILED, JobEventData } from './data/hear.ts';
import { TEST, TestEventData } from './data/integrations.ts';
import { CRAWL_INDEXED, CrawlData } from './data/knowledge.ts';
import {
  HANDED_OVER,
  MESSAGE_DELIVERED,
  MESSAGE_FAILED,
  MESSAGE_RECEIVED,
  MessageHandOverRecord,
  MessageRecord,
} from './data/messages.ts';
import { MSGAPP_CALL_ENDED, MsgappCallData } from './data/msgapp.ts';
import { EndedCallData, EXTRACTED, ExtractedCall, OMNI_CALL_ENDED } from './data/omni.ts';
import { RECAP, RecapRecord } from './data/recap.ts';
import {
  CALL_ANSWERED,
  CALL_ENDED,
  CALL_ONE_WAY,
  CAMPAIGN_DONE,
  CampaignData,
  TelephonyCallRecord,
  TelephonyVoicemailRecord,
  VOICEMAIL,
} from './data/telephony.ts';
import { INTERACTION, TraceInteraction } from './data/trace.ts';
import { defineEvent, type EventDefinition, type Frozen } from './define-event.ts';

export const EVENTS = {
  'transcription.job.completed': defineEvent(
    'A transcription job has its result.',
    JobEventData,
    JOB_COMPLETED,
  ),
  'transcription.job.failed': defineEvent(
    'A transcription job has failed for good.',
    JobEventData,
    JOB_FAILED,
  ),
  'amd.decided': defineEvent('It is known who or what answered a call.', AmdCallRecord, AMD_DECIDED),
  'amd.message_ended': defineEvent(
    'The message of a machine that answered a call is over: one can be left now.',
    AmdCallRecord,
    AMD_MESSAGE_ENDED,
  ),
  'recap.complete': defineEvent(
    'The record of a call is made; told to the webhook of Recap’s settings.',
    RecapRecord,
    RECAP,
  ),
  'recap.call.completed': defineEvent(
    'The record of a call is made; told to destinations.',
    RecapRecord,
    RECAP,
  ),
  'recap.call.corrected': defineEvent(
    'A person has corrected who spoke in a call; its record was made anew, and has the next version.',
    RecapRecord,
    { ...RECAP, version: 2 },
  ),
  'omni.call.ended': defineEvent(
    'A call with an agent is over, however it ended; its record can be read.',
    EndedCallData,
    OMNI_CALL_ENDED,
  ),
  'omni.call.extracted': defineEvent(
    'What an agent’s extraction schema asks for was looked for in a call that is over; told once for each call.',
    ExtractedCall,
    EXTRACTED,
  ),
  'trace.interaction.evaluated': defineEvent(
    'A conversation was held against the rules.',
    TraceInteraction,
    INTERACTION,
  ),
  'message.received': defineEvent('Somebody wrote to one of your numbers.', MessageRecord, MESSAGE_RECEIVED),
  'message.delivered': defineEvent('A message has arrived.', MessageRecord, MESSAGE_DELIVERED),
  'message.failed': defineEvent('A message has not arrived, and never will.', MessageRecord, MESSAGE_FAILED),
  'message.handed_over': defineEvent(
    'A written conversation has gone to a person: its agent handed it over, or the person took it. The agent is silent there from now on.',
    MessageHandOverRecord,
    HANDED_OVER,
  ),
  'telephony.call.answered': defineEvent(
    'Somebody has answered a telephone call.',
    TelephonyCallRecord,
    CALL_ANSWERED,
  ),
  'telephony.call.one_way': defineEvent(
    'A telephone call is answered, and nothing has come from its other side for five seconds.',
    TelephonyCallRecord,
    CALL_ONE_WAY,
  ),
  'telephony.call.ended': defineEvent(
    'A telephone call is over, however it ended.',
    TelephonyCallRecord,
    CALL_ENDED,
  ),
  'telephony.voicemail.received': defineEvent(
    'A caller has left a message; what was said is known, or why not.',
    TelephonyVoicemailRecord,
    VOICEMAIL,
  ),
  'telephony.campaign.done': defineEvent(
    'Every target of a campaign has been called, or will not be called again.',
    CampaignData,
    CAMPAIGN_DONE,
  ),
  'msgapp.call.ended': defineEvent(
    'A call by a messaging app is over, however it ended.',
    MsgappCallData,
    MSGAPP_CALL_ENDED,
  ),
  'compliance.case.updated': defineEvent(
    'A compliance case has changed: its evidence, its state, or what the network says of it.',
    CaseData,
    CASE_UPDATED,
  ),
  'knowledge.crawl.indexed': defineEvent(
    'No page that a crawl found is on its way any more: each is indexed, or has failed.',
    CrawlData,
    CRAWL_INDEXED,
  ),
  'cast.render.completed': defineEvent(
    'A render of a cast can be downloaded.',
    CastRenderData,
    RENDER_COMPLETED,
  ),
  'billing.credit.low': defineEvent(
    'The balance has fallen below a tenth of the credit that was added last; told to each project, once until credit is added.',
    CreditLowData,
    CREDIT_LOW,
  ),
  'billing.invoice.issued': defineEvent(
    'The invoice of a month is issued; told to each project.',
    InvoiceData,
    INVOICE_ISSUED,
  ),
  'dub.done': defineEvent('A dub can be downloaded.', DubEventData, DUB_DONE),
  'dub.error': defineEvent(
    'A dub has ended in error; a render goes on where it stopped.',
    DubEventData,
    DUB_ERROR,
  ),
  'integration.test': defineEvent('Somebody tries a destination out.', TestEventData, TEST),
} as const satisfies Readonly<Record<string, EventDefinition>>;

export type EventType = keyof typeof EVENTS;
export type EventData<T extends EventType> = Frozen<Static<(typeof EVENTS)[T]['data']>>;

export type ProductEvent = {
  readonly [T in EventType]: { readonly type: T; readonly data: EventData<T> };
}[EventType];

export const EVENT_TYPES = Object.keys(EVENTS) as readonly EventType[];

export const isEventType = (text: string): text is EventType => Object.hasOwn(EVENTS, text);
