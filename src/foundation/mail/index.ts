export { type Mail, MailError, type Mailer } from './contract.ts';
export { Post, type PostOptions } from './post.ts';
export { SmtpMailer, type SmtpOptions } from './smtp.ts';
