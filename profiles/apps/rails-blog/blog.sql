CREATE TABLE articles (
    id         INTEGER PRIMARY KEY,
    title      VARCHAR NOT NULL,
    author     VARCHAR NOT NULL,
    body       TEXT NOT NULL,
    created_at DATETIME NOT NULL
);
CREATE TABLE comments (
    id         INTEGER PRIMARY KEY,
    article_id INTEGER NOT NULL REFERENCES articles,
    author     VARCHAR NOT NULL,
    body       TEXT NOT NULL,
    created_at DATETIME NOT NULL
);
CREATE INDEX comments_of_article ON comments (article_id, created_at);

INSERT INTO articles VALUES
(1, 'The night the numbers were too good', 'Marta',
'We had moved the shop to the new machine on Friday, and on Saturday night I wanted to see what it could take. Four thousand requests a second, said the benchmark. The old machine did three hundred. I went to bed a happy woman.

On Sunday morning the first customer wrote that the shop was "a blank page with a number on it". The number was 502.

What had happened is simple, and I am told that it happens to everyone once. The web server passed each request on to the application through a socket. The socket''s queue had room for five. With a hundred customers knocking at the same time ninety-five of them were turned away at once, and turning someone away is quick work: no database, no template, nothing but a line of text. My benchmark counted every one of them as a request that was answered. It was right, too. It just wasn''t the answer that I had in mind.

So here is what I do now. First I ask for one page and look at it with my own eyes. Then I tell the tool how long the page is and what has to be in it, and everything else is a failure, however fast it came. I look at the slowest answers before I look at the mean. And when something is ten times better than it was, I don''t go to bed: I look for what is broken.

The queue has room for a thousand now. We do three hundred and forty requests a second, and every one of them is a page.',
'2009-03-14 09:26:53'),
(2, 'Swap is not memory', 'Marta', 'It says so in the name.', '2009-02-27 21:05:00'),
(3, 'Eight workers on one processor', 'Ilja', 'Seven of them wait.', '2009-02-11 18:40:12'),
(4, 'What fork shares & what it doesn''t', 'Ilja', 'Pages, until someone writes to them.', '2009-01-30 07:15:30'),
(5, 'A cable, a switch, a lost afternoon', 'Marta', 'It was the cable.', '2009-01-08 16:22:45'),
(6, 'Moving house', 'Ilja', 'The blog has a new home.', '2008-12-20 12:00:00');

INSERT INTO comments VALUES
(1, 1, 'Piet', 'Been there. In my case it was a 404 for the style sheet, at eleven thousand a second. I had already ordered the T-shirts.', '2009-03-14 10:02:11'),
(2, 1, 'Ana Lucia', 'Why does the queue have room for five in the first place?', '2009-03-14 10:31:40'),
(3, 1, 'Ilja', '@Ana Lucia: because someone had to write a number there in 1983, and a fifth connection was hard to imagine. The kernel takes any number today, up to a limit that you can raise. It is the program that asks for five.', '2009-03-14 10:48:05'),
(4, 1, 'Rolf', 'We use TCP between the two and never saw an error.

We do see requests that take exactly 3 seconds, though. Or 9. Never 5.', '2009-03-14 12:15:59'),
(5, 1, 'Ilja', '@Rolf: same illness, other symptom. A full queue on a unix socket is an error at once. On TCP the kernel drops the packet and the other side tries again: after 3 seconds, then after 6 more. Count the overflows with netstat -s.', '2009-03-14 12:40:27'),
(6, 1, 'Rolf', '1 842 "times the listen queue of a socket overflowed". I see. Thank you, I think.', '2009-03-14 13:01:33'),
(7, 1, 'grumpy admin', 'In my day we had ONE process & it was fast enough.', '2009-03-14 15:20:00'),
(8, 1, 'Marta', '@grumpy admin: in your day we had one customer.', '2009-03-14 15:24:48'),
(9, 1, 'Yuki', 'How do you tell the tool what must be in the page? Mine only knows the length, and it takes the length from the first answer it gets. If that one is the error page, all good pages are counted as failures.', '2009-03-14 19:07:16'),
(10, 1, 'Marta', '@Yuki: then you have found the second trap all by yourself. Throw that number away, and read the status codes in the web server''s log until you have a better tool.', '2009-03-14 20:11:02'),
(11, 1, 'Piet', 'Does anyone know a tool that shows the memory of the workers while all this goes on? I keep a second terminal open and squint.', '2009-03-15 08:44:21'),
(12, 1, 'Ana Lucia', 'Careful with adding those numbers up. What the workers share is in every one of them. I once "ran out" of 4 GB on a machine that has 2.', '2009-03-15 09:12:37'),
(13, 1, 'Tom', 'Room for a thousand is not a cure either: with 340 a second the last in the queue waits for three seconds. I would rather have an honest 503 after one.', '2009-03-15 11:59:08'),
(14, 1, 'Ilja', '@Tom: true. A queue doesn''t make a server faster, it makes the customers wait in a line. But they do get their page, in the order in which they came.', '2009-03-15 12:30:55'),
(15, 1, 'Sven', 'We measured from the same machine as the server runs on. Half of what we measured was the benchmark. It has two processors now, one each, and a cable to a second machine for the days when I want to know it exactly.', '2009-03-15 14:03:31'),
(16, 1, 'Yuki', '@Piet: ps, in a loop, sorted by memory. It costs more than one of our workers.', '2009-03-15 16:45:10'),
(17, 1, 'Rolf', 'Raised the queue to 1024 this morning. The 3 seconds are gone, and so are the 9. What is left is honest work: 320 ms for the slowest, at a hundred customers. I owe you a beer.', '2009-03-16 09:18:26'),
(18, 1, 'Ana Lucia', 'May I translate this for our users'' group? With the T-shirts.', '2009-03-16 10:55:00'),
(19, 1, 'Marta', '@Ana Lucia: please do. And if anybody asks: yes, the shop is still up. Comments are closed now, there is work to do.', '2009-03-16 11:20:44'),
(20, 2, 'Piet', 'Mine says "swap" and I read "cheap".', '2009-02-28 08:00:00');
