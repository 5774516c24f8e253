/** The hostile tenant runs each attack by itself: `npm run bench -- fairness cost` reports what each costs. */
export const ATTACKS = ['lanes', 'uploads', 'jobs', 'signIns', 'sockets'] as const;
export type Attack = (typeof ATTACKS)[number];
