BEGIN TRANSACTION;
CREATE TABLE entries (
            id INTEGER PRIMARY KEY, kind TEXT NOT NULL, table_id TEXT NOT NULL, nonce TEXT NOT NULL,
            round INTEGER NOT NULL, claim TEXT NOT NULL, meter TEXT NOT NULL, account TEXT,
            amount INTEGER NOT NULL, at_wall_ns INTEGER NOT NULL, detail TEXT NOT NULL) STRICT;
INSERT INTO "entries" VALUES(1,'seed','','',0,'','major','display',5000000000000,0,'Opened.');
INSERT INTO "entries" VALUES(2,'seed','','',0,'','minor','display',1000000000,0,'Opened.');
INSERT INTO "entries" VALUES(3,'pended','T1','n1',1,'','major','pending',30000000,1001000000000,'');
INSERT INTO "entries" VALUES(4,'pended','T1','n1',1,'','minor','pending',10000000,1001000000000,'');
INSERT INTO "entries" VALUES(5,'committed','T1','n1',1,'','major','pending',-30000000,1003000000000,'');
INSERT INTO "entries" VALUES(6,'committed','T1','n1',1,'','major','wagers',2,1003000000000,'');
INSERT INTO "entries" VALUES(7,'committed','T1','n1',1,'','major','stakes',1000,1003000000000,'');
INSERT INTO "entries" VALUES(8,'committed','T1','n1',1,'','major','display',30000000,1003000000000,'');
INSERT INTO "entries" VALUES(9,'committed','T1','n1',1,'','minor','pending',-10000000,1003000000000,'');
INSERT INTO "entries" VALUES(10,'committed','T1','n1',1,'','minor','wagers',2,1003000000000,'');
INSERT INTO "entries" VALUES(11,'committed','T1','n1',1,'','minor','stakes',1000,1003000000000,'');
INSERT INTO "entries" VALUES(12,'committed','T1','n1',1,'','minor','reserve',5000000,1003000000000,'');
INSERT INTO "entries" VALUES(13,'committed','T1','n1',1,'','minor','display',5000000,1003000000000,'');
INSERT INTO "entries" VALUES(14,'pended','T2','n1',1,'','major','pending',15000000,1001000000000,'');
INSERT INTO "entries" VALUES(15,'pended','T2','n1',1,'','minor','pending',5000000,1001000000000,'');
INSERT INTO "entries" VALUES(16,'pended','T1','n1',2,'','major','pending',30000000,1005000000000,'');
INSERT INTO "entries" VALUES(17,'pended','T1','n1',2,'','minor','pending',10000000,1005000000000,'');
INSERT INTO "entries" VALUES(18,'committed','T1','n1',2,'','major','pending',-30000000,1007000000000,'');
INSERT INTO "entries" VALUES(19,'committed','T1','n1',2,'','major','wagers',2,1007000000000,'');
INSERT INTO "entries" VALUES(20,'committed','T1','n1',2,'','major','stakes',1000,1007000000000,'');
INSERT INTO "entries" VALUES(21,'committed','T1','n1',2,'','major','display',30000000,1007000000000,'');
INSERT INTO "entries" VALUES(22,'committed','T1','n1',2,'','minor','pending',-10000000,1007000000000,'');
INSERT INTO "entries" VALUES(23,'committed','T1','n1',2,'','minor','wagers',2,1007000000000,'');
INSERT INTO "entries" VALUES(24,'committed','T1','n1',2,'','minor','stakes',1000,1007000000000,'');
INSERT INTO "entries" VALUES(25,'committed','T1','n1',2,'','minor','reserve',5000000,1007000000000,'');
INSERT INTO "entries" VALUES(26,'committed','T1','n1',2,'','minor','display',5000000,1007000000000,'');
INSERT INTO "entries" VALUES(27,'claimed','T1','n1',2,'2.1','major',NULL,0,1007000000000,'Seat 1, royal_flush (As Ks Qs Js Ts), share 1/1.');
INSERT INTO "entries" VALUES(28,'claimed','T1','n1',2,'2.2','major',NULL,0,1007000000000,'Seat 2, royal_flush (As Ks Qs Js Ts), share 1/4.');
INSERT INTO "entries" VALUES(29,'valued','T1','n1',2,'2.1','major',NULL,5000060000000,1007000000000,'');
CREATE TABLE generation (number INTEGER NOT NULL) STRICT;
INSERT INTO "generation" VALUES(9);
CREATE TABLE letters (
            id INTEGER PRIMARY KEY, table_id TEXT NOT NULL, nonce TEXT NOT NULL, sequence INTEGER NOT NULL,
            kind TEXT NOT NULL, body TEXT NOT NULL, head_sequence INTEGER NOT NULL, head_hash TEXT NOT NULL,
            UNIQUE (table_id, nonce, sequence)) STRICT;
INSERT INTO "letters" VALUES(1,'T1','n1',1,'RoundLocked','{"is":"RoundLocked","round":1,"locked_at":["boot",1000000000,1001000000000],"contributions":[[1,500],[2,500]]}',7,'abababababababababababababababababababababababababababababababab');
INSERT INTO "letters" VALUES(2,'T1','n1',2,'RoundDealt','{"is":"RoundDealt","round":1,"dealt_at":["boot",2000000000,1002000000000],"hands":[[1,2000000000,0],[2,2000000000,0]]}',14,'abababababababababababababababababababababababababababababababab');
INSERT INTO "letters" VALUES(3,'T1','n1',3,'RoundResult','{"is":"RoundResult","round":1,"decided_at":["boot",3000000000,1003000000000],"claims":[],"returned":[]}',21,'abababababababababababababababababababababababababababababababab');
INSERT INTO "letters" VALUES(4,'T1','n1',4,'RoundEnded','{"is":"RoundEnded","round":1,"ended_at":["boot",4000000000,1004000000000],"contributions_minor":1000,"awards_minor":0,"accepted":2}',28,'abababababababababababababababababababababababababababababababab');
INSERT INTO "letters" VALUES(5,'T2','n1',1,'RoundLocked','{"is":"RoundLocked","round":1,"locked_at":["boot",1000000000,1001000000000],"contributions":[[3,500]]}',7,'abababababababababababababababababababababababababababababababab');
INSERT INTO "letters" VALUES(6,'T1','n1',5,'RoundLocked','{"is":"RoundLocked","round":2,"locked_at":["boot",5000000000,1005000000000],"contributions":[[1,500],[2,500]]}',35,'abababababababababababababababababababababababababababababababab');
INSERT INTO "letters" VALUES(7,'T1','n1',6,'RoundDealt','{"is":"RoundDealt","round":2,"dealt_at":["boot",6000000000,1006000000000],"hands":[[1,6000000000,0],[2,6000000000,0]]}',42,'abababababababababababababababababababababababababababababababab');
INSERT INTO "letters" VALUES(8,'T1','n1',7,'RoundResult','{"is":"RoundResult","round":2,"decided_at":["boot",7000000000,1007000000000],"claims":[{"claim":"2.1","seat":1,"level":"major","share_num":1,"share_den":1,"rank":"royal_flush","cards":["As","Ks","Qs","Js","Ts"],"dealt_ns":0,"registered_micro":0,"uncertain_ns":0,"by_hand":false,"dealer":"","shoe":""},{"claim":"2.2","seat":2,"level":"major","share_num":1,"share_den":4,"rank":"royal_flush","cards":["As","Ks","Qs","Js","Ts"],"dealt_ns":0,"registered_micro":0,"uncertain_ns":0,"by_hand":false,"dealer":"","shoe":""}],"returned":[]}',49,'abababababababababababababababababababababababababababababababab');
CREATE TABLE standing (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO "standing" VALUES('claim/000000001','["T1","n1",2,"2.1","major",1,1,1000000000000,1,[5000060000000,5000060]]');
INSERT INTO "standing" VALUES('claim/000000002','["T1","n1",2,"2.2","major",1,4,1000000000000,2,null]');
INSERT INTO "standing" VALUES('journal/T1/n1','["T1","n1",7,2,false]');
INSERT INTO "standing" VALUES('journal/T2/n1','["T2","n1",1,1,false]');
INSERT INTO "standing" VALUES('meter/major','[["major",5000000,300,0,0,"deduct","kept_apart","added_to_reset"],5000060000000,0,0,0,15000000,4,2000,0,0]');
INSERT INTO "standing" VALUES('meter/minor','[["minor",1000,100,50,0,"deduct","kept_apart","added_to_reset"],1010000000,10000000,0,0,5000000,4,2000,0,0]');
INSERT INTO "standing" VALUES('round/T1/n1/2','["T1","n1",2,[[1,500],[2,500]],"committed",["boot",6000000000,1006000000000],[],0]');
INSERT INTO "standing" VALUES('round/T2/n1/1','["T2","n1",1,[[3,500]],"pending",null,[],0]');
CREATE TRIGGER entries_refuse_UPDATE BEFORE UPDATE ON entries
                BEGIN SELECT RAISE(ABORT, 'entries are only ever added'); END;
CREATE TRIGGER entries_refuse_DELETE BEFORE DELETE ON entries
                BEGIN SELECT RAISE(ABORT, 'entries are only ever added'); END;
CREATE TRIGGER letters_refuse_UPDATE BEFORE UPDATE ON letters
                BEGIN SELECT RAISE(ABORT, 'letters are only ever added'); END;
CREATE TRIGGER letters_refuse_DELETE BEFORE DELETE ON letters
                BEGIN SELECT RAISE(ABORT, 'letters are only ever added'); END;
COMMIT;
PRAGMA user_version = 1;
