/** The live feed sends these while calls run; webhooks have types of their own. */
export const LIVE_EVENT_TYPES = ['call.began', 'call.said', 'call.speech', 'call.turn', 'call.over'] as const;
export type LiveEventType = (typeof LIVE_EVENT_TYPES)[number];

export interface LiveEvent {
  readonly type: string;
  readonly at: number;
  readonly data: Readonly<Record<string, unknown>>;
}
