import type { Surface } from '../edge/server/index.ts';
import { type Mailer, type MailQueue, SmtpMailer } from '../foundation/mail/index.ts';
import type { Config } from '../foundation/platform/config/index.ts';

export const openMailer = ({ smtpUrl, mailFrom }: Pick<Config, 'smtpUrl' | 'mailFrom'>): Mailer | null =>
  smtpUrl === null || mailFrom === null ? null : new SmtpMailer({ url: smtpUrl, from: mailFrom });

export const mailSurface = (post: MailQueue): Surface => ({
  name: 'mail',
  start: async () => post.start(),
  stop: (deadlineMs) => post.stop(deadlineMs),
});
