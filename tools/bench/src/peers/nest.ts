/** Nest on Fastify with AuthGuard, which keeps in SQLite what it acknowledges. It has no handler and no limits. */
import 'reflect-metadata';
import { timingSafeEqual } from 'node:crypto';
import { Controller, Module, Post, Req, Res, UseGuards } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AuthGuard, PassportStrategy } from '@nestjs/passport';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Strategy } from 'passport-http-bearer';
import { keepInSqlite } from './keep-in-sqlite.js';
import { digest, ready } from './peer.js';

const [accessToken = '', folder = ''] = process.argv.slice(2);
const accepted = digest(accessToken);
const keep = keepInSqlite(folder);

class BearerStrategy extends PassportStrategy(Strategy) {
  validate(token: string): boolean {
    return timingSafeEqual(digest(token), accepted);
  }
}

@Controller('plant/webhook')
class PlantController {
  @Post()
  @UseGuards(AuthGuard('bearer'))
  async receive(@Req() { headers, body }: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await keep({ mediaType: headers['content-type'], content: body as Buffer });
    reply.code(204).send();
  }
}

@Module({ controllers: [PlantController], providers: [BearerStrategy] })
class PlantModule {}

const adapter = new FastifyAdapter();
const app = await NestFactory.create<NestFastifyApplication>(PlantModule, adapter, {
  logger: false,
  bodyParser: false,
});
const fastify = adapter.getInstance();
fastify.removeAllContentTypeParsers();
fastify.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
await app.listen(0, '127.0.0.1');
ready(app.getHttpServer());
