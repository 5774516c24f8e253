export { type Mail, MailError, type Mailer } from './contract.ts';
export { MailQueue, type MailQueueOptions } from './mail-queue.ts';
export { SmtpMailer, type SmtpOptions } from './smtp.ts';
