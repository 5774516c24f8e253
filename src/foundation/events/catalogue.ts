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
    'Sent when a transcription job has completed.',
    JobEventData,
    JOB_COMPLETED,
  ),
  'transcription.job.failed': defineEvent(
    'Sent when a transcription job has failed permanently.',
    JobEventData,
    JOB_FAILED,
  ),
  'amd.decided': defineEvent(
    'Sent when answering-machine detection has reached a verdict.',
    AmdCallRecord,
    AMD_DECIDED,
  ),
  'amd.message_ended': defineEvent(
    'Sent when the greeting of an answering machine has ended and a message can be left.',
    AmdCallRecord,
    AMD_MESSAGE_ENDED,
  ),
  'recap.complete': defineEvent(
    'Sent to the webhook of the Recap settings when the record of a call has been created.',
    RecapRecord,
    RECAP,
  ),
  'recap.call.completed': defineEvent(
    'Sent to destinations when the record of a call has been created.',
    RecapRecord,
    RECAP,
  ),
  'recap.call.corrected': defineEvent(
    'Sent when a person has corrected the speakers of a call; its record was created again as the next version.',
    RecapRecord,
    { ...RECAP, version: 2 },
  ),
  'omni.call.ended': defineEvent(
    'Sent when a call with an agent has ended for any reason; its record is available.',
    EndedCallData,
    OMNI_CALL_ENDED,
  ),
  'omni.call.extracted': defineEvent(
    'Sent once per ended call, after its values for the agent’s extraction schema were extracted.',
    ExtractedCall,
    EXTRACTED,
  ),
  'trace.interaction.evaluated': defineEvent(
    'Sent when a conversation was evaluated against the rules.',
    TraceInteraction,
    INTERACTION,
  ),
  'message.received': defineEvent(
    'Sent when one of your numbers receives a message.',
    MessageRecord,
    MESSAGE_RECEIVED,
  ),
  'message.delivered': defineEvent('Sent when a message was delivered.', MessageRecord, MESSAGE_DELIVERED),
  'message.failed': defineEvent('Sent when a message could not be delivered.', MessageRecord, MESSAGE_FAILED),
  'message.handed_over': defineEvent(
    'Sent when a message conversation was handed over by its agent or taken over by a person. The agent does not respond in it any more.',
    MessageHandOverRecord,
    HANDED_OVER,
  ),
  'telephony.call.answered': defineEvent(
    'Sent when a phone call is answered.',
    TelephonyCallRecord,
    CALL_ANSWERED,
  ),
  'telephony.call.one_way': defineEvent(
    'Sent when nothing was received from the other party for five seconds after a phone call was answered.',
    TelephonyCallRecord,
    CALL_ONE_WAY,
  ),
  'telephony.call.ended': defineEvent(
    'Sent when a phone call has ended for any reason.',
    TelephonyCallRecord,
    CALL_ENDED,
  ),
  'telephony.voicemail.received': defineEvent(
    'Sent when a caller has left a voicemail message and its transcript is available or has failed.',
    TelephonyVoicemailRecord,
    VOICEMAIL,
  ),
  'telephony.campaign.done': defineEvent(
    'Sent when every target of a campaign has been called or will not be called again.',
    CampaignData,
    CAMPAIGN_DONE,
  ),
  'msgapp.call.ended': defineEvent(
    'Sent when a messaging-app call has ended for any reason.',
    MsgappCallData,
    MSGAPP_CALL_ENDED,
  ),
  'compliance.case.updated': defineEvent(
    'Sent when a compliance case has changed: its evidence, its state, or its status at the network.',
    CaseData,
    CASE_UPDATED,
  ),
  'knowledge.crawl.indexed': defineEvent(
    'Sent when every page of a crawl has been indexed or has failed.',
    CrawlData,
    CRAWL_INDEXED,
  ),
  'cast.render.completed': defineEvent(
    'Sent when a Cast render can be downloaded.',
    CastRenderData,
    RENDER_COMPLETED,
  ),
  'billing.credit.low': defineEvent(
    'Sent to each project when the balance falls below a tenth of the last added credit; sent once until credit is added.',
    CreditLowData,
    CREDIT_LOW,
  ),
  'billing.invoice.issued': defineEvent(
    'Sent to each project when the invoice of a month is issued.',
    InvoiceData,
    INVOICE_ISSUED,
  ),
  'dub.done': defineEvent('Sent when a dub can be downloaded.', DubEventData, DUB_DONE),
  'dub.error': defineEvent(
    'Sent when a dub has failed; rendering it again resumes where it stopped.',
    DubEventData,
    DUB_ERROR,
  ),
  'integration.test': defineEvent('Sent when somebody tests a destination.', TestEventData, TEST),
} as const satisfies Readonly<Record<string, EventDefinition>>;

export type EventType = keyof typeof EVENTS;
export type EventData<T extends EventType> = Frozen<Static<(typeof EVENTS)[T]['data']>>;

export type ProductEvent = {
  readonly [T in EventType]: { readonly type: T; readonly data: EventData<T> };
}[EventType];

export const EVENT_TYPES = Object.keys(EVENTS) as readonly EventType[];

export const isEventType = (text: string): text is EventType => Object.hasOwn(EVENTS, text);
