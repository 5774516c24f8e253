/**
 * The first names come from the locales of Faker (MIT; see NOTICES). Names that are English words or well-known
 * places are left out: they need a word beside them that marks a name.
 */
const names = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

/** A capitalized word of this list is always a person's name. */
export const FIRST_NAMES = names(`
Aadi Aadidev Aadinath Aaditya Aadrika Aagam Aagney Aagneya Aaliyah Aalok Aamod Aanand Aanandaswarup Aanandinii
Aanjaneya Aaratrika Aarav Aaron Aarya Aaryan Aarón Aasa Aasha Aashritha Aatmaj Aatmaja Aatreya Aayushmaan Aayushman
Abaco Abagail Abani Abbie Abbigail Abbondanzio Abbondio Abby Abdiel Abdon Abdone Abdonie Abdul Abdullah Abe Abel
Abelardo Abelin Abeline Abenzio Abhaidev Abhaya Abhirath Abhisyanta Abibo Abigaelle Abigail Abigale Abigayle Abigaïl
Abner Abramio Abramo Absalon Abélard Acace Acacie Acacio Acario Acaryatanaya Accursio Achaire Achalesvara
Acharyanandana Acharyasuta Achille Achintya Achyut Acilia Acilio Aciscolo Acrisio Ada Adah Adalard Adalardo Adalbald
Adalbaude Adalbert Adalberta Adalberto Adalbéron Adalfredo Adalgisa Adalgiso Adaline Adalric Adalrico Adalsinde Adam
Adamo Adan Addie Addison Adegrin Adegrine Adela Adelaide Adelardo Adelasia Adelbert Adelberto Adelchi Adele Adelfo
Adelgardo Adelia Adelin Adelina Adeline Adell Adella Adelle Adelmo Adelphe Adeltrude Adenet Adeodato Adheesh Adhiraj
Adhrit Adhémar Adikavi Adina Adinath Aditeya Aditya Adityanandan Adityanandana Adolf Adolfo Adolph Adolphe Adolphie
Adolphus Adone Adonis Adrain Adrastée Adrehilde Adria Adriaan Adrian Adriana Adrianna Adriano Adriel Adrien Adrienne
Adrione Adripathi Advaya Adwitiya Adélaïde Adélie Adéodat Afonso Afro Agabio Agamennone Agapet Agapito Agasti Agastya
Agathange Agathe Agathon Agazio Agenore Agesilao Agilbert Agilberte Aglae Aglaé Agnan Agnane Agneflète Agnes Agnese
Agneya Agnimitra Agniprava Agnivesh Agnès Agostina Agostino Agrata Agrippa Agrippin Agrippine Agustin Ahalya Ahilya
Ahmad Ahmed Ahmet Aiace Aida Aidan Aidano Aiden Aileen Aimee Aimone Aisha Aishani Aiyana Ajeet Ajit Akeem Akroor
Akshainie Akshaj Akshat Akshata Akshayakeerti Akshita Akula Aladino Alain Alaina Alaine Alamanno Alan Alana Alanis
Alanna Alarico Alayna Alaïs Alba Alban Albane Alberico Albert Albertha Alberto Albin Alboino Albrico Albérade Albéric
Alceo Alceste Alcibiade Alcide Alcidie Alcime Alcina Alcine Alcyone Alda Aldegonde Alden Aldo Aldobrando Aldonce
Aldric Aleandro Aleardo Aleaume Alec Aleen Alejandra Alejandrin Alejandro Alek Aleksander Alena Alene Aleramo Alessa
Alessandra Alessandro Alessia Alessio Aleth Aletha Alex Alexander Alexandra Alexandre Alexandrea Alexandro Alexane
Alexanne Alexis Alexys Alexzander Aleyna Alfio Alfonsa Alfonso Alfonzo Alford Alfred Alfreda Alfredo Algiso Alica
Alice Alicia Alida Aliette Alighiero Alina Alisa Alisha Alison Alissa Alix Aliya Aliyah Aliza Alize Aliénor Allan
Allegra Allen Allene Alliaume Allie Allison Almerigo Almine Almire Almiro Aloisio Alok Alonzo Aloyse Aloïs Aloïse
Alparslan Alphonse Alphonsine Alphonso Alphée Alpinien Alta Althea Althée Alton Alva Alvah Alvaro Alvena Alvera
Alverta Alverède Alviero Alvin Alvis Alvise Alya Alyce Alycia Alysa Alysha Alyson Alyssa Alícia Amadeo Amalia Amaliane
Amalric Amalthée Amanda Amandin Amandine Amani Amanzio Amaranaath Amarande Amaranthe Amaresh Amarnath Amauri Amaya
Ambar Ambrogio Ambroise Ambrose Amedeo Amelia Amelie Ameline Amelio Amely America Americo Amerigo Ameyatma Amie Amiel
Amilcare Amin Amina Aminte Amintore Amira Amish Amit Amiya Amleto Amodini Amogh Amon Amone Amos Amparo Ampelio Amrit
Amrita Amritambu Amy Amya Amédée Amélia Améliane Amélie Amélien Ana Anaadi Anabel Anabelle Anacleto Anagh Anahi Anala
Anamika Ananda Anandamayi Anang Ananta Ananya Anasooya Anastacio Anastase Anastasia Anastasie Anasuya Anatole Anatolia
Anatolie Anaël Anaëlle Anaïs Ancelin Anceline Ancilla Anderson Andoche Andre Andrea Andreane Andreanne Andreas Andres
Andrew Andromeda André Andrée Andy Andéol Angadrême Angela Angelica Angelina Angeline Angelique Angelita Angie Angilbe
Angilberte Angilran Angoustan Angus Angèle Angélina Anibal Anicet Aniceto Anicette Anicée Aniello Anika Anilaabh
Anilabh Anish Anissa Anita Aniya Aniyah Anja Anjali Anjaneya Anjushree Anjushri Ankal Anke Ann Anna Annabel Annabell
Annabella Annabelle Annagrazia Annalena Annalise Annamae Annamaria Annamarie Annapurna Anne Anneke Annelie Annemarie
Annemijn Annetta Annette Annibal Annibale Annie Annika Annonciade Anny Anouar Anouk Ansaldo Ansbert Ansberte Ansel
Anselme Anselmo Ansgar Anshula Ansley Ansovino Anstrudie Antea Antelmo Anthelme Anthelmette Anthony Antide Antigone
Antimo Antino Antioco Antoine Antoinette Anton Antone Antonella Antonello Antonetta Antonette Antoni Antonia
Antonietta Antonin Antonine Antonio Antwan Antwon António Antônio Anuja Anunay Anuraag Anurag Anusuya Anwesha Anya
Apollina Apollinaire Apollinare Apolline Apollonia Appia April Apuleio Aquiline Arabella Arabelle Araceli Aracely
Araldo Aratone Arcadie Archambaud Archan Archibald Archie Archimede Archippo Arcibaldo Ardella Arden Ardith Arduino
Arely Aresio Argimiro Ariadna Arialdo Arian Ariane Arianna Ariberto Aric Aricie Ariel Ariele Arielle Arindam Ariosto
Aris Ariste Aristeo Aristide Aristione Aristofane Aristotele Arjun Arlene Arlette Arlie Armance Armand Armande
Armandine Armando Armani Armel Armelle Armida Armide Armin Armine Arnaldo Arnaud Arnaude Arne Arnesh Arno Arnold
Arnoldo Arnould Arnulfo Arolde Aron Aronne Arrigo Arsinoé Arsène Arsènie Arthaud Arthur Arthurine Arthème Artur Arturo
Artémis Arun Aruna Arved Arvel Arvid Arvilla Arwen Arya Aryan Aryanna Ascanio Ascelin Asceline Asdrubale Asel Asella
Asha Ashlee Ashleigh Ashlesh Ashley Ashly Ashlynn Ashok Ashton Ashtyn Asia Asimodeo Asiya Aslesha Astarté Asterio
Astianatte Astrid Astrée Asya Ataleo Atanasio Athalie Athanase Athanasie Athena Athina Athos Athénaïs Atmaja Atmanand
Atmananda Atreyee Atreyi Attila Attilano Attilio Aubertine Auberto Aubree Aubrey Aubry Aude Audebert Audeline Audie
Audouin Audra Audran Audreanne Audrey Augustine Augustus Aure Aurelia Aureliano Aurelie Aurelio Aurelle Aurian Auriane
Auro Aurèle Aurélie Aurélienne Ausilia Ausiliatrice Austen Austyn Auxane Auxence Ava Avadhesh Avani Avantika Averardo
Avery Avigaëlle Avoye Axeline Axelle Ayana Ayaz Ayden Ayla Ayleen Aylin Ayman Aymard Aymardine Aymeric Aymon Aymonde
Ayoub Ayse Ayushmati Aza Azeglio Azelia Azeline Azelio Azra Azélie Baala Baalaaditya Baalagopaal Babette Babila Badr
Bahula Baidehi Baijayanti Bailee Bailey Bakula Balaaditya Balachandra Baladitya Balagopal Balagovind Balamani
Baldassarre Balderico Baldomero Baldovino Balgopal Balthazar Bandhu Bandhul Bankim Bankimchandra Baptiste Baran
Barbara Barbarigo Bardomiano Baris Barnaba Barnabé Barney Barrett Barry Barsaba Barsimeo Bart Bartholome Barthélemy
Bartimée Bartolo Bartolomea Bartolomeo Barton Basanti Basile Basileo Basilisse Bassiano Bassilla Bastiaan Bastian
Bastiano Bastien Bathilde Batilda Batuhan Baudouin Baylee Beatrice Beatriz Beau Beaulah Becky Bela Belina Belinda
Bellino Beltramo Benedict Benedikt Benedita Beniamina Beniamino Benito Benja Benjamin Bennet Bennett Bennie Benno
Benny Benthe Bentley Benton Benyamin Benício Berardo Berat Berend Berenice Berkay Bernadetta Bernadette Bernadine
Bernard Bernardo Bernd Berneice Bernhard Bernice Bernie Berniece Bernita Beronico Bert Berta Bertha Bertille Bertoldo
Bertolfo Bertram Bertrand Beryl Bessie Beth Bethany Bethel Betsy Betta Bette Bettie Betty Bettye Beulah Beuve Beverly
Bhaanumati Bhaasvan Bhaaswar Bhadra Bhadraksh Bhadran Bhagavaan Bhagirathi Bhagvan Bhagwanti Bhagwati Bhamini
Bhanumati Bharadwaj Bharat Bhardwaj Bhargava Bhargavi Bhasvan Bhaswar Bhaumik Bhavani Bhaves Bheeshma Bhilangana Bhima
Bhisham Bhishma Bhoj Bhoopat Bhoopati Bhooshan Bhooshit Bhramar Bhudev Bhudeva Bhupati Bhupen Bhushan Bhushit
Bhuvanesh Bhuvaneshwar Biagio Bianca Bianka Bibiana Bibiano Bice Bilal Billie Billy Bilva Bilwa Bindo Bino Birino
Birjesh Bishnu Bjarne Bjorn Björn Blair Blaise Blake Blanca Blanche Blandine Boaz Bobbi Bobbie Bobby Bodhi Bodi
Bohémond Bonagiunta Bonaldo Bonaventura Bonavita Boniface Bonifacio Bonita Bonnie Boris Bortolo Bouchard Bowie Boyd
Brad Bradford Bradley Bradly Brady Braeden Brahma Brahmaanand Brahmabrata Brahmanandam Brahmdev Brajendra Brajesh Bram
Brancaleone Brandi Brando Brandon Brandt Brandyn Brannon Branson Brant Braulio Braxton Brayan Breana Breanna Breanne
Brenda Brendan Brenden Brendon Brenna Brennan Brennon Brent Bret Brett Bria Briac Brian Briana Brianne Brice Bridget
Bridgette Bridie Brielle Brieuc Brigida Brigitta Brigitte Brijesh Brionna Britney Britt Brittany Brock Broderick Brody
Brooke Bruce Brunehaut Brunehilde Brunilde Bruno Bryan Bryana Bryant Bryce Brycen Bryon Buddhana Budhil Buford Bulah
Burak Burdette Burley Burnice Buster Byron Béatrice Bénédicte Béranger Bérangère Bérard Caden Caetana Caino Caitlin
Caitlyn Calanico Caleb Calebe Caleigh Calixte Callie Callisto Calogera Calogero Calpurnia Calvin Cameron Camila
Camilla Camille Camillien Camillo Camren Camron Camryn Camylle Camélien Candace Candelario Candice Candide Cantidio
Canziano Cara Carey Caribert Carina Carissa Carl Carla Carlee Carles Carleton Carley Carli Carlie Carlijn Carlo
Carloman Carlos Carlotta Carlton Carmela Carmella Carmelo Carmen Carmine Carminho Carmo Carol Carolanne Carole Carolin
Caroline Carolyn Carolyne Caronte Carponio Carrie Carroll Cary Casandra Casey Casilda Casimer Casimiro Caspar Casper
Cassandra Cassandre Cassiano Cassidy Cassie Cassien Cassio Cassiopea Cataleya Catalina Catarina Caterina Catharina
Catharine Catherine Cathrine Cathryn Cathy Catrin Catullo Cauã Cayla Ceasar Cecco Cecelia Cecil Cecile Cecilia Cecilio
Cecília Cedric Cedrick Cedrik Celeste Celestine Celina Celine Celinia Celso Cesar Cesare Cesario Ceyda Ceylin
Chaanakya Chaaruchandra Chadd Chadrick Chaim Chaitan Chakor Chakradhar Chakravartee Chakravarti Chakrika Chanakya
Chanda Chandak Chandan Chandani Chandi Chandini Chandira Chandler Chandni Chandra Chandraayan Chandrabhaga Chandrabhan
Chandradev Chandrakala Chandraketu Chandrakin Chandramani Chandramauli Chandramohan Chandran Chandranath Chandrani
Chandraprabha Chandraswaroopa Chandravati Chanel Chanelle Chantal Chapal Chapala Charak Charlaine Charleen Charlemagne
Charlene Charles Charley Charlie Charline Charlotta Charuchandra Charumati Charuvrat Charvi Chasity Chaten Chatur
Chatura Chaturaanan Chaturbhuj Chauncey Chayenne Chaz Chelsey Chelsie Cherubino Cheryl Chesley Chetan Chetanaanand
Cheyanne Chiaffredo Chidaakaash Chidaatma Chidambar Chidambaram Chidananda Childebert Chilpéric Chinmayanand
Chinmayananda Chiranjeev Chiranjeeve Chitraksh Chitrali Chitramala Chitrangada Chloe Chloé Chris Christa Christelle
Christiaan Christian Christiana Christiane Christiano Christie Christina Christine Christodule Christop Christoph
Christophe Christopher Christy Chrysole Chrysostome Chyna Ciara Cierra Cindy Cino Cinzia Cipriano Cirano Ciriaco
Cirilla Cirillo Cirino Ciro Citlalli Claas Clair Claire Clara Clarabelle Clare Clarence Clarenzio Clarissa Clark Claud
Claude Claudia Claudie Claudien Claudine Claudio Clayton Cleandro Clelia Clemens Clement Clementine Clemenzia Clemmie
Cleo Cleofe Cleonico Cleopatra Cleora Cleta Cletus Cleve Clifford Clifton Climaco Clinio Clint Clinton Clio Clodomiro
Clodoveo Cloe Clorinda Clotaire Clotilde Clovis Cloyd Clyde Cléandre Clélie Cléry Coby Cody Coen Cointa Colby Cole
Coleman Colin Coline Colleen Collien Collin Colmanno Colmazio Colombano Colombo Colten Concepcion Concetta Conchita
Concordio Conner Connie Connor Conor Conrad Constance Constantin Constança Consuelo Cora Coralie Coraline Corbiniano
Cordelia Cordell Cordia Cordie Corene Coreno Corentin Corentine Corey Corine Corinna Corinne Coriolano Cornelia
Cornelio Cornelis Cornelius Cornell Corrado Corrine Cortez Cortney Corvin Cory Cosima Cosimo Cosma Costantino Costanzo
Coty Courtney Craig Crawford Cremenzio Creola Crescenzia Crescenzio Crespignano Crispino Cristaldo Cristian Cristina
Cristián Cristobal Cristoforo Cristopher Cristóbal Crocefissa Cronida Cruz Crystel Cullen Cunegonda Cuniberto Curtis
Cuzia Cydney Cynthia Cyprien Cyriaque Cyrielle Cyril Cyrille Cyrus Cécile Cédric Célestine Célia Célien Céline Césaire
Côme Daan Daantje Daciano Daevi Daevika Dafne Dagmar Dagoberto Daija Daisha Daiwik Daksha Dakshayani Dale Daley Dalida
Dalila Dallin Dalmazio Dalton Damaris Damaso Damayanti Dameon Damian Damiana Damiano Damien Damin Damion Damián
Damocle Damodara Damon Dan Dana Dandak Dandapaani Dandre Dane Dangelo Dani Danial Daniel Daniela Daniele Daniella
Danielle Danika Danilo Danique Daniël Dannie Danny Danyka Daphne Daphnee Daphney Darby Daren Darian Dariana Darien
Darin Dario Darion Darius Darla Darleen Darlene Darnell Daron Darrel Darrell Darren Darrick Darrin Darrion Darron
Darryl Darshan Darshwana Darwin Daryl Dashawn Dasia Datta Dave Davey Davi David Davide Davin Davina Davino Davion
Davonte Davy Dawson Dax Dayaamay Dayaananda Dayaanidhi Dayamayee Dayana Dayna Dayne Dayton Deangelo Deanna Deb Debbie
Debora Deborah Debra Declan Dedric Dedrick Dee Deeksha Deenabandhu Deepak Deepali Deepan Deepankar Deependra Deepesh
Deeptanshu Deeptendu Deeptiman Deeptimay Deeptimayee Deeptimoy Deeptimoyee Deevakar Defne Deion Dejah Dejon Dejuan
Delaney Delbert Delia Delilah Delinda Dell Della Delmer Delores Delpha Delphia Delphin Delphine Demarcus Demario
Demetria Demetrio Demetris Demetrius Democrito Demond Demostene Dena Deneval Denis Denise Deniz Dennis Denny Deodata
Deodato Deon Deondre Deontae Deonte Dereck Derek Derick Deron Desdemona Deshaun Deshawn Desiree Desmond Dessie Destany
Destinee Destiney Dev Devadatt Devagya Devajyoti Devak Devan Devangana Devani Devante Devasree Devdan Deven Devesh
Deveshwar Devi Devika Devin Devonte Devvrat Devyn Dewayne Dewey Dewi Dewitt Dex Dexter Dexx Dhaanyalakshmi Dhana
Dhanadeepa Dhanalakshmi Dhananjay Dhanapati Dhanesh Dhanpati Dhanu Dhanvin Dhara Dharani Dharitri Dharmaketu Dhatri
Dhruv Dhyanesh Dhyaneshwar Diana Diane Dianna Dianne Dianora Didier Didimo Dieke Dieudonné Dieudonnée Digambar
Digambara Diksha Dilara Dillan Dillon Dimitri Dina Dinakar Dinesh Dinis Dinkar Dino Diocleziano Diodata Diodoro
Diogene Diogo Diomede Dion Dione Dionigi Dionisio Dipali Dipankar Dipendra Dipesh Diptendu Dirk Divaakar Divakar
Divjot Divya Djayden Djenna Doda Dodato Dolores Domenic Domenick Domenico Domenik Domezio Domingo Dominic Dominick
Dominique Domiziano Donald Donatella Donatello Donavon Donna Donnell Donnie Donny Dora Dorcas Doreen Dorian Doriane
Doriano Dorine Doris Dorotea Doroteo Dorothea Dorothy Dorothée Dorris Dortha Dorthy Doug Douglas Douwe Dovie Doyle
Drake Draupadi Dron Drona Druina Dua Duane Duarte Duccio Duco Dudley Duilio Dulari Dulina Duncan Durante Durga
Durgeshwari Durward Dustin Duuk Dwaipayan Dwaipayana Dwayne Dwight Dylan Dylano Débora Earlene Earline Earnestine
Easton Ebba Ebe Eberardo Ecclesio Ecrin Eda Edd Edda Eddi Eddie Edelberga Edgar Edgard Edgardo Edilberto Edison Edith
Editta Edmond Edmondo Edmund Edmée Edna Edoardo Eduarda Eduardo Edvige Edward Edwardo Edwin Edwina Edyth Edythe Eef
Eefje Eekalabya Effie Efisio Efrain Efrem Efren Ege Egeo Egidio Eginardo Egisto Egizia Egle Eileen Einar Eino Ekaaksh
Ekadant Ekaksh Ekalavya Ekaling Ekaparnika Ekdant Eladio Elaide Elaina Elaine Elakshi Elanur Elbert Eldon Eldora
Eldred Eldridge Elea Eleanor Eleanora Eleanore Eleazar Elena Eleni Elenor Elenora Eleonora Eleonore Elettra Eleuterio
Elfrieda Eli Elia Eliah Elian Eliana Eliane Eliano Elias Eliezer Elif Elifio Eligio Elijah Elimena Elin Elina Eline
Elinor Elinore Elio Eliodoro Elisa Elisabeth Elisabetta Elise Elisea Eliseo Elisha Elissa Elita Eliza Elizabeth Elize
Ella Ellen Elli Ellie Elliot Elliott Ellis Ellsworth Elly Elmer Elmira Elmore Elna Elnora Elodie Elody Eloisa Eloise
Elouise Eloy Eloá Elpidio Elroy Elsa Elsie Elta Elton Elva Elvera Elvezio Elvia Elvie Elvino Elvira Elvis Elwin Elwyn
Elynn Elyse Elyssa Elza Elías Elísio Ema Emanuel Emanuela Emanuele Emanuelly Emelia Emelie Emely Emerson Emery Emidio
Emie Emil Emile Emilia Emilian Emiliana Emiliano Emilie Emilio Emily Emin Emirhan Emma Emmalee Emmanuel Emmanuelle
Emmelie Emmely Emmerico Emmet Emmett Emmi Emmie Emmitt Emmy Emory Empirio Emre Emília Enakshi Endrigo Enecone Enes
Enguerrand Enid Enie Enimia Ennio Enno Enoch Enola Enos Enrica Enrico Enrique Ensar Enya Enzo Ephraim Eracla Eraclide
Eraldo Erardo Erasmo Eray Erberto Ercole Erenia Eriberto Eric Erica Erich Erick Ericka Erico Erik Erika Erin Erling
Erma Ermanno Ermelinda Ermenegarda Ermenegilda Ermenegildo Ermes Ermete Ermilo Erminia Erminio Erna Ernest Ernesta
Ernestina Ernestine Ernesto Ernie Eros Ersilia Ervin Erwin Eryn Esaù Esha Eshana Eshita Esma Esmee Esmeralda Esmée
Esperanza Esra Essie Esteban Estefania Estefanía Estel Estela Estell Estella Estelle Ester Esterina Esther Esuperio
Eterie Etha Ethan Ethel Ethelyn Etienne Ettie Ettore Eubert Euclide Eudes Eudora Eudoxe Eudoxie Eufebio Eufemia
Eufemio Eufronio Eugene Eugenia Eugenio Eugène Eugénie Eula Eulah Eulalia Eulalie Euna Eunice Euphrasie Euridice
Eusebia Eusebio Euseo Eustorgio Eustosio Eusèbe Eusébie Eutalia Eutalio Eva Evaldo Evalyn Evan Evandro Evangelina
Evangeline Evans Evaristo Evasio Evelien Evelin Evelina Eveline Evelyn Everardo Everett Everette Evert Evi Evidio Evie
Evodio Evremondo Evy Ewald Ewell Eymen Ezechiele Ezekiel Ezequiel Ezio Ezra Fabian Fabiana Fabiano Fabien Fabienne
Fabio Fabiola Fabiënne Fabrice Fabrizio Fabrícia Fabrício Fae Falba Falk Famiano Famke Fannie Fanny Fantin Farah
Fardau Fatima Faustine Faustino Favian Fay Faye Fayen Fayenne Fazio Febe Fedde Federica Federico Fedora Fedro Felice
Felicia Feliciano Felicity Felipa Felipe Felix Felton Felícia Fem Femke Femm Fenja Fenna Fenne Ferdinand Ferdinando
Fermiano Fermin Fernanda Fernando Ferruccio Festo Fiammetta Fidel Fidenziano Fidenzio Fieke Fien Fiene Fiep Fiete
Filiberto Filip Filipa Filipe Filippa Filippo Filomeno Finia Finlay Finley Finn Finnja Finnley Fiona Fiordaliso
Fiorella Fiorenza Fiorenziano Fiorenzo Firmin Flaminia Flavia Flaviana Flaviano Flavie Flavien Flavio Fleano Fleta
Fletcher Flo Flodoard Floortje Florencio Florent Florentine Florestan Florian Floriana Floriano Florie Florina Florine
Flossie Floy Floyd Flynn Folco Forrest Fos Foss Foulques France Frances Francesca Francesco Francette Francine Francis
Francisca Francisco Franco Franka Frankie Franz Franziska François Françoise Fred Freda Freddie Freddy Frederic
Frederica Frederick Frederico Frederik Frederike Frederique Fredrick Fredy Freeda Freek Freeman Freida Frenkie Freya
Frieda Friederike Friedrich Fritz Frontiniano Frédéric Frédérique Fulbert Fulberto Fulcran Fulgence Fulgenzio Fulvia
Fulvio Furio Furkan Furman Furseo Fuscolo Fynn Fábio Félicie Félix Gabin Gabino Gabriel Gabriela Gabriele Gabriella
Gabrielle Gabriël Gael Gaglioffo Gaia Gail Gajaadhar Gajabahu Gajadhar Gajbaahu Galatea Galdino Galeazzo Gallicano
Ganak Ganaka Ganapati Gandharv Gandharva Gandolfo Ganesh Gangesh Gardner Garett Garfield Garimberto Garnett Garrett
Garrick Garry Garth Garud Garuda Gary Gaspar Gaspard Gaspare Gaston Gastone Gati Gatien Gatik Gaud Gaudenzia Gaudenzio
Gaudino Gauraang Gaurang Gauranga Gautam Gautama Gautami Gautier Gautiero Gavin Gavino Gayatri Gayle Gaël Gaëlle
Gedeone Geeta Geetanjali Gelsomina Geltrude Gemini Geminiano Genesia Genesio Geneva Genevieve Geneviève Gennaro
Genoveffa Genoveva Genziano Geo Geoffrey Geoffroy Georg George Georges Georgette Georgianna Geovanni Geovanny Geovany
Gerald Geraldine Gerard Gerardo Gerasimo Gerberge Gerbert Gerda Geremia Gerhard Gerino Gerolamo Geronimo Geronzio
Gerrit Gerry Gerson Gertrude Gervais Gervasio Ghanaanand Ghanashyam Ghanshyam Gherardo Ghislain Ghita Gia Giacinta
Giacobbe Giacomo Giada Giadero Giambattista Gian Gianbattista Giancarlo Giandomenico Gianfranco Gianluca Gianluigi
Gianmarco Gianmaria Gianmario Gianni Gianpaolo Gianpiero Gianpietro Gianuario Giasone Gideon Giel Gigi Gigliola Gijs
Gil Gilbert Gilberto Gilda Gildo Giles Giliola Gilles Gillian Gillo Gina Ginevra Gino Gioacchina Gioacchino Giobbe
Gioberto Gioconda Gioele Giona Gionata Giordano Giorgia Giorgio Giosuele Giosuè Giotto Giovanna Giovanni Giovanny
Giove Gioventino Giovenzio Girardo Girart Girija Girik Girika Girindra Giriraaj Giriraj Girish Girja Girolamo Gisella
Gislebert Gisselle Gisèle Gitanjali Giuda Giuditta Giulia Giuliana Giulio Giulitta Giuseppa Giuseppe Giuseppina
Giustiniano Gladyce Gladys Glenda Glenn Glenna Glennie Gloria Gobinda Godeberta Godfrey Godiva Goffredo Golda Golia
Gomberto Gondebaud Gondulfo Gonerio Gonthier Gontran Gonzague Gonzalo Gonçalo Gopaal Gopal Gopee Gopi Gorakhanatha
Gorakhnath Gordon Goswamee Goswami Gottardo Gotum Gouranga Goutam Govinda Gracie Graciela Graciliano Grady Graham
Granville Grayce Grayson Graziana Graziella Greg Gregg Gregor Gregoria Gregorio Gregory Greta Gretchen Greyson Griffin
Grimaldo Griselda Grover Grégoire Gualberto Gualtiero Gudakesa Gudakesha Gudrun Guenda Guendalina Guenièvre Guerrino
Guglielmo Guiberto Guido Guilhemine Guilherme Guillermina Guillermo Guiscardo Guiseppe Gumesindo Gundelinda Gunnar
Gurdev Gus Gussie Gustav Gustave Gustavine Gustavo Guus Guusje Guérin Gwen Gwenaëlle Gwendolyn Gédéon Gérard Géraud
Gúbio Günther Hadley Hafsa Hailee Hailey Hailie Hal Haleigh Haley Halie Hallie Hamsini Hamza Hana Hank Hanna Hannah
Hanne Hans Hardouin Hari Harinakshi Harinarayan Harit Harita Harley Harmon Harold Harriet Harrison Harry Harvey Hasan
Haskell Hassan Hassie Hattie Hauke Hayden Haylee Hayley Haylie Hazle Heber Hector Heema Heidi Heitor Helen Helena
Helene Helga Helin Helmer Heloise Heloísa Henderson Hendrika Hennes Henning Henri Henrick Henrietta Henriette Henrik
Henrike Henrique Henry Herbert Herluin Herman Hermann Hermenegildo Hermina Herminia Herminio Hernán Hershel Herta
Hertha Hervé Hester Hettie Hidaya Hidde Hilario Hilbert Hilda Hildebert Hildegard Hillard Hillary Hilma Hilton Himadri
Himani Hincmar Hipolito Hippolyte Hira Hiram Hiranmay Hiranmaya Hiranya Hobart Hollie Hollis Homer Homero Honorine
Horace Horacio Hosea Howard Howell Hoyt Hubert Hudson Hugh Hugo Hugues Huguette Hulda Humberto Hussein Huub Hyman
Hédelin Hélier Héloïse Hélène Iacopo Iacopone Iago Ian Ianira Ibrahim Icaro Icie Icilio Ida Idell Idella Idris Iginia
Iginio Igino Ignacio Ignatius Ignazio Igor Ike Iker Ila Ilaria Ilario Ilay Ilayda Ilda Ildebrando Ildefonso Ildegarda
Ildegonda Ileana Ilene Ilenia Ilia Iliana Ilias Ilja Illidio Ilse Ilva Ilyas Ima Imani Imelda Imke Immacolata
Immacolato Immanuel Imogene Imran Ina Inara Inaya Inder Indira Indra Indro Indy Ines Inez Inka Innocenzo Inès Inés
Inês Iolanda Iole Iona Ionne Iorio Ippocrate Ippolito Ira Irene Ireneo Irina Irma Irmina Irvin Irving Irwin Irène Isa
Isaac Isabeau Isabel Isabela Isabell Isabella Isabelle Isabelly Isac Isacco Isadora Isadore Isai Isaia Isaiah Isaias
Ischirione Iseult Iside Isidora Isidore Isidoro Isidro Isis Ismael Ismaele Ismail Ismérie Isobel Isom Isotta Isra
Issac Italo Itzel Iva Ivah Ivan Ivanna Ivano Ivanoe Ivar Iven Ivetta Ivo Ivone Ivonne Izabella Izaiah Ize Izzy Jabari
Jace Jacey Jackeline Jackie Jacklyn Jackson Jacky Jaclyn Jacob Jacoba Jacobo Jacqueline Jacquelyn Jacques Jacynthe
Jadon Jadyn Jaeden Jaelynn Jagadish Jagadisha Jagathi Jagdeep Jagdish Jagmeet Jahnu Jai Jaida Jaiden Jailey Jailyn
Jaime Jaimini Jaimy Jairo Jaivey Jakayla Jake Jakob Jakub Jaleel Jalen Jalou Jalyn Jamaal Jamal Jamar Jamarcus Jamel
James Jameson Jamey Jamie Jamil Jamila Jamir Jamison Jan Jana Janae Janaína Jane Janek Janelle Janessa Janet Janice
Janick Janie Janin Janina Janine Janis Janiya Janna Janne Jannek Jannes Jannie Jannik Jannis Jano Janosch Jany Japhet
Jaquan Jaquelin Jaqueline Jared Jari Jarne Jarno Jarod Jaron Jarrell Jarrett Jarrod Jarvis Jasen Jasmina Jasmine Jason
Jasper Jaunita Javi Javier Javon Javonte Jax Jaxon Jaxx Jay Jaya Jayce Jaycee Jayda Jayde Jayden Jaydon Jaylan Jaylano
Jaylen Jaylin Jaylinn Jaylon Jayme Jayne Jayson Jayvano Jazlyn Jazmin Jazmyn Jazmyne Jazzlyn Jazzlynn Jean Jeanette
Jeanie Jeanne Jeannel Jeannette Jeannie Jeannot Jed Jedediah Jedidiah Jeff Jefferey Jeffery Jeffrey Jeffry Jefta
Jehanne Jella Jelle Jelmer Jelte Jenifer Jenna Jennie Jennifer Jennings Jenny Jennyfer Jens Jensen Jente Jeppe Jerad
Jerald Jeramie Jeramy Jerel Jeremiah Jeremias Jeremie Jeremy Jermain Jermaine Jermey Jerod Jerome Jeromy Jerrell
Jerrod Jerrold Jerry Jesper Jess Jesse Jessica Jessie Jessika Jesslyn Jesslynn Jessy Jessyca Jett Jettie Jevon Jewell
Jidde Jil Jill Jillian Jim Jimena Jimi Jimmie Jimmy Jinte Jinthe Jip Jitender Jitendra Joachim Joah Joan Joana Joanie
Joann Joanna Joanne Joannie Joanny Joany Joaquim Joaquin Joaquín Joas Jocelyn Jocelyne Jodi Jodie Jody Joe Joel
Joelina Joeline Joelle Joes Joesph Joey Johan Johann Johanna Johannes Johathan John Johnathan Johnathon Johnnie Johnny
Johnpaul Johnson Joleen Jolien Jolijn Jolin Jolina Joline Jon Jona Jonah Jonas Jonatan Jonathan Jonathon Jonna Jonte
Joost Jop Jordane Jordi Jordon Jordy Jordyn Jorge Joris Jorn Jorrit Jort Joscha Joschua Jose Josef Josefa Josefien
Josefin Josefina Josefine Josep Joseph Josephin Josephine Josh Joshua Joshuah Josiah Josiane Josianne Josie Josse
Josselin Josua Josue Josué Josy José Joséphine Jourdain Jovan Jovani Jovanny Jovany Joyce João Joël Joëlle Juan Juana
Juanita Juda Judah Judd Jude Judicaël Judith Judson Judy Jula Julan Jule Jules Julia Julian Juliana Juliane Julianne
Julie Juliet Julieta Juliette Julika Julina Julio Julius Juliëtte Juna Junayd June Junius Jur Juri Jurre Justen Justin
Justina Justine Juston Justus Justyn Juul Juvenal Juwan Jyoti Jyotis Jyotsana Jérôme Jéssica Jörg Júlia Júlio Jürgen
Kacey Kaci Kacie Kacper Kadin Kaela Kaelyn Kai Kaia Kailash Kailee Kailey Kailyn Kaitlin Kaitlyn Kaj Kaja Kaleb
Kaleigh Kaley Kalinda Kallie Kalpana Kalyani Kama Kamalesh Kamla Kamlesh Kamren Kamron Kamryn Kanaka Kanchan Kane
Kanishka Kannan Kanti Kara Karam Karan Kareem Karelle Karen Kari Kariane Karianne Karim Karina Karine Karl Karla
Karlee Karley Karli Karlie Karlijn Karlo Karlotta Karolann Karolina Karoline Karson Karthik Kartik Karunanidhi
Kasandra Kasey Kashyap Kashyapi Kassandra Katarina Kate Katelin Katelyn Katelynn Katharina Katherine Katheryn Kathleen
Kathlyn Kathrin Kathryn Kathryne Kathy Katie Katja Katlyn Katlynn Kato Katrin Katrina Katrine Kattie Kavita Kavon Kay
Kaya Kaycee Kayden Kayla Kaylah Kaylee Kayleigh Kayley Kayli Kaylie Kaylin Kayra Keagan Keano Keanu Keara Keaton
Keegan Keeley Keely Keenan Keerti Keira Keith Kellen Kelley Kelli Kellie Kelly Kelsi Kelsie Kelton Kelvin Ken Kenan
Kendall Kendra Kendrick Kenji Kenna Kennedi Kennedy Kenneth Kennith Kenny Keno Kensi Kenton Kenyatta Kenyon Kenza
Kenzo Keon Kerem Kerim Kerry Keshaun Keshawn Keven Kevin Kevon Keyon Keyshawn Khadija Khalid Khalil Kian Kiana Kianna
Kiara Kiarra Kiel Kiera Kieran Kiley Kilian Kim Kimberley Kimberly Kimi Kip Kira Kiran Kirk Kirsten Kirstin Kirti
Kjeld Kjell Klara Klaus Klemens Kléber Kobe Koby Kody Kolby Kole Konrad Konstantin Koray Korbin Korbinian Korey
Korinna Kory Kraig Kris Krishna Krishnadas Krishnadasa Krista Kristen Kristi Kristian Kristie Kristin Kristina
Kristine Kristofer Kristoffer Kristopher Kristy Krystal Krystel Krystina Kumar Kumari Kumuda Kurt Kurtis Kyan Kyano
Kyara Kyla Kyle Kylee Kyleigh Kyler Kylie Kyra Laal Lacey Ladarius Ladislao Ladislau Laila Laisha Lakshman Lakshmi
Lakshmidhar Lakshminath Lalita Lamar Lambert Lamberto Lamont Lana Lancilotto Landolfo Landry Laney Lanfranco Lara
Larissa Laron Larry Lars Larue Latoya Laura Laurane Laureen Laureline Lauren Laurence Laurens Laurent Laurentino
Laurenz Lauretta Lauriane Laurianne Laurie Laurin Laurine Laury Lauryn Laurène Lautone Lavanya Lavern Laverna Laverne
Lavina Lavinia Lavinio Lavon Lavonne Lavínia Lawrence Lawson Laxman Laxmi Layla Layne Lazare Lazaro Lazzaro Lea Leah
Leana Leander Leandra Leandro Leann Leanna Leanne Leatha Leda Leela Leendert Leif Leigh Leila Leilani Lela Lelah
Leland Lelia Lempi Lemuel Len Lena Leni Lenia Lenja Lenn Lenna Lennard Lennart Lenne Lennert Lennie Lennon Lennox
Lenny Lenora Lenore Lenya Leola Leon Leona Leonard Leonardo Leonel Leonhard Leonia Leonida Leonidas Leonie Leonilda
Leonio Leonor Leonora Leontina Leonzio Leopold Leopoldo Leora Leroy Lesley Leslie Lesly Lessie Lester Leta Letha
Leticia Letitia Letterio Letícia Leufroy Levent Levi Levin Levke Lew Lewin Lewis Lexi Lexus Leyla Liah Lian Libbie
Libby Liboria Liborio Lidania Lidia Lieke Liene Lieuwe Lila Lili Lilia Lilian Liliana Liliane Lilith Lilli Lillian
Lilliana Lillie Lilly Lilou Lilyan Lina Linda Lindsay Lindsey Linn Linne Linnea Linnie Linus Linwood Lionel Lisa
Lisandro Lisann Lisanne Liselotte Litzy Liv Liva Livia Livino Livio Liya Liyam Liyana Liz Liza Lizbeth Lize Lizeth
Lizz Lizzie Lizzy Liétald Llewellyn Lloyd Lodovica Lodovico Loek Loes Logan Lois Lola Lolita Lon Longin Lonie Lonnie
Lonny Lonzo Lora Loraine Loredana Loreen Lorella Loren Lorena Lorene Lorenz Lorenza Lorenzo Loretta Lori Loriana
Lorine Lorna Lothaire Lott Lottie Lou Louay Louie Louis Louisa Louise Lourenço Louvenia Lowell Loy Loyce Loïc Loïs
Luan Luana Luc Luca Lucas Luce Lucia Lucian Luciana Luciano Lucie Lucien Lucienne Lucile Lucilla Lucille Lucinda Lucio
Lucious Lucius Lucrezia Lucy Lucía Ludano Ludie Ludivine Ludolphe Ludovic Ludovica Ludovico Ludwig Luella Luena Luigi
Luigia Luis Luisa Luiz Luiza Luka Lukas Luke Lula Lulu Luna Lupe Lurline Luther Lutz Luuk Luus Luz Luzie Luís Luísa
Lya Lyam Lyda Lydia Lydie Lyla Lyle Lyn Lynda Lynette Lynn Lynne Lysanne Léa Léandre Léna Léon Léonie Léonne Léopold
Léopoldine Lívia Maaike Maarten Maartje Mabel Mabelle Mable Macaire Macaria Macario Maccabeo Macey Maci Macie Mack
Mackenzie Macy Madalena Madaline Madalyn Maddalena Maddison Maddox Madeleine Madeline Madelyn Madelynn Madge Madhuri
Madilyn Madisen Madisyn Madita Madleen Madlen Madonna Madyson Mae Maegan Maeve Mafalda Maffeo Magali Magda Magdalen
Magdalena Maggie Maggiorino Magnus Maguelone Mahaut Mahendra Maher Mahesh Maheswar Mahir Maica Maik Maike Mailin
Maiorico Maira Maitê Maiya Makayla Makenna Makenzie Maksim Malachi Malco Malcolm Malena Malia Malik Malika Malinda
Mallaury Mallie Mallory Malou Malti Malvina Mamert Mamie Manassé Mancio Mandaakin Mandakini Mandy Manel Manetto
Manfredo Mangala Mangalya Mani Manik Manikya Manilio Manisha Manjusha Manley Manlio Manoah Manoj Manon Manu Manuel
Manuela Mara Marah Marana Marc Marceau Marcel Marcela Marcelin Marceline Marcelino Marcella Marcelle Marcello
Marcellus Marcelo Marcia Marciano Marco Marcos Marcus Mareike Marek Margaret Margarete Margarett Margaretta Margarette
Margarita Marge Margie Margret Marguerite Maria Mariah Mariam Marian Mariana Mariane Marianna Marianne Mariano Maribel
Maricarmen Marieke Mariela Mariella Marielle Marietta Marijn Marika Marilena Marilie Marilou Marilu Marilyn Marilyne
Marilú Marinella Marinetta Marinus Mario Marion Marisa Marisol Marissa Marit Maritza Marius Marjorie Marjory Marko
Markus Marla Marlee Marleen Marlena Marlene Marley Marlie Marlin Marlo Marlon Marly Marlène Marolo Marrit Marsha
Marshall Marta Marten Martha Marthe Martim Martina Martine Marty Marut Maruta Marvin Marwa Marwin Mary Maryam Maryann
Maryjane Maryse Marzia Marzio Massimiliano Mateo Mateus Matheus Mathew Mathias Mathijs Mathilda Mathilde Mathis Matias
Matilda Matilde Matroniano Matt Matteo Matthew Matthias Matthieu Matthijs Matthis Mattia Mattie Mattis Matz Matías
Maud Maude Maudie Maugis Maura Maureen Maurice Mauricette Mauricio Maurilio Maurine Maurits Maurizio Mauro Mavis Max
Maxellende Maxence Maxie Maximilian Maximiliano Maximilien Maximillia Maximillian Maximo Maximus Maxine Maxwell Maya
Maybell Maybelle Mayeul Maymie Maynard Mayoor Mayra Maysa Mayson Mayte Mazie Mckayla Mckenna Mckenzie Meagan Meaghan
Medardo Medine Medoro Meena Meenakshi Megan Megane Meggie Meghan Meghnad Meghnath Mehmet Meik Meike Meire Mekhi
Melania Melanie Melanio Melany Melba Melchiade Melchior Melchiorre Melek Melezio Melike Melinda Melisa Melissa
Melitina Melle Mellie Mels Melvin Melvina Melyna Melyssa Menaka Menardo Mence Menelao Menka Menno Mennone Menodora
Mercedes Meredith Merijn Merle Merlin Merritt Mert Mertie Merve Mervin Meryem Messalina Metello Metrofane Mex Meyra
Mia Micael Micaela Micah Michael Michaela Michale Michaël Micheal Michel Michela Michelangelo Michele Michelle Michèle
Mick Midas Mieke Miguel Mika Mikail Mikayla Mike Mikel Mikki Milana Mildred Miley Millie Milly Milo Milou Milton Mimma
Minakshi Mindy Minerva Minervina Minervino Minnie Mira Mirac Miran Miranda Miray Mirco Mireille Mirella Mireya Miriam
Mirja Mirko Mirocleto Mirta Mirthe Misael Misaele Mitch Mitchel Mitchell Mittie Mohamed Mohammad Mohammed Mohan Mohana
Mohinder Mohini Moira Moises Mollie Molly Mona Monaldo Monica Monique Monitore Monserrat Monserrate Monty Moreno
Morgan Moriah Moritz Morris Morten Mortimer Morton Mose Moses Moshe Mossie Mosè Mozell Mozelle Mozes Moïsette Muhammad
Muhammed Mukesh Mukul Murat Muriel Murilo Murl Murphy Murray Mustafa Muziano Mya Myah Myla Mylan Mylene Myles Mylo
Mylène Myra Myriam Myrl Myrna Myron Myrthe Myrtice Myrtie Myrtis Myrtle Márcia Mário Médéric Mégane Mélanie Mélisande
Mélissa Mélissandre Mércia Mérovée Mónica Nadia Nadine Nadja Nadège Naemi Nagabhushanam Nakia Nalini Namazio Nancy
Nanda Nannie Naomi Naomie Naoufal Naoufel Napoleone Narayan Narendra Narinder Narseo Narsete Nash Nasir Natalia
Natalie Natalina Natan Nataniel Natasha Nathalie Nathan Nathanael Nathanaël Nathanial Nathaniel Nathen Natália Naud
Naudet Naveen Navin Nawal Nayeli Nazario Nazzareno Nazzaro Neal Ned Nedra Neele Neeltje Neha Neil Neiva Nelda Nelli
Nellie Nelly Nels Neoma Neopolo Neoterio Nerea Nereo Nestor Nestore Nettie Neva Nevio Newell Nicarete Nicea Niceforo
Niceto Nicezio Nicholas Nicholaus Nichole Nick Nicklaus Nickolas Nicla Niclas Nicodemo Nicola Nicolai Nicolas Nicole
Nicoletta Nicolette Nicolás Nicolò Nicéphore Niek Niels Niene Nienke Nigel Nika Nike Nikita Nikki Nikkie Nikko Niklas
Niko Nikodem Nikolai Nikolas Nila Nilde Nils Nimit Nina Niniano Ninthe Niranjan Nirbhay Niro Nisa Nives Noa Noah Noam
Noami Noan Noe Noel Noelia Noemi Noemie Noemy Nola Nolan Nona Noor Noortje Nora Norah Norbert Norberto Nore Norene
Norina Norma Normand Norris Norval Norwood Nostriano Noud Nour Nouri Nout Novan Nowi Nox Noè Noémie Noë Noëlla Noëlle
Nuccia Nuno Nunziata Nya Nyah Nyasia Nynke Néhémie Núbia Núria Obie Oceane Ocie Octavia Octavio Océane Oddone Odell
Oderico Odetta Odette Odidone Odie Odile Odilia Odilon Odin Odon Odorico Ofelia Ofélia Oger Ojaswini Oke Okey Ola Olaf
Olen Oleta Olga Olimpia Olimpio Olin Olinda Olindo Oliver Olivia Olivier Oliviera Oliviero Oliwia Oliwier Ollie Olívia
Omana Omar Omari Ombline Ombretta Ona Onie Onofrio Onorina Onorio Onur Oormila Ophelia Ophélie Ora Oran Orazio Orenzio
Oreste Orfeo Oriana Oriande Oriane Orie Orietta Orio Orion Orland Orlane Ornella Oronzo Orpha Orrin Orsino Orsola
Orsolina Ortensio Orval Orville Osbaldo Osborne Oscar Oskar Osman Osmondo Osvaldo Oswald Oswaldo Otello Otha Otho
Otilia Otis Ottaviano Ottavio Ottilia Ottilie Ottis Otto Oumayra Oury Ovidio Owen Ozanne Ozella Pablo Paciano Pacomio
Pacôme Padma Paige Palladia Palladio Palmazio Palmira Pam Pamela Pammachio Pancario Pancrazio Pantaleo Pantaleone
Paola Paolo Paramartha Paride Parker Parmenio Parvati Pascal Pasquale Paterniano Patrice Patricia Patrick Patrizia
Patroclo Patsy Patti Pattie Patty Paul Paula Paule Paulette Pauline Paulo Pauside Paxton Payton Pearlie Pearline Pedro
Peggie Peggy Pelagia Peleo Penelope Pepijn Perceval Percival Percy Pericle Perrine Perry Pete Peter Petra Petronilla
Petronio Peyton Phil Phileine Philibert Philine Philip Philipp Philippe Phillip Philomène Philothée Philou Philémon
Phoebe Phyllis Pien Piera Pierangelo Piergiorgio Pierluigi Piermarco Piero Pierre Pierrick Piersilvio Pieter Pietro
Pim Pinkie Pippa Pippo Pius Platone Pleun Plinio Plutarco Polidoro Polifemo Polissena Pollione Polly Pompeo Pomponio
Ponziano Ponzio Pooja Poornima Porfirio Porzia Porziano Postumio Pramila Pran Pranay Prasad Prasanna Prassede
Prathamesh Prayag Preity Prem Presley Preston Priamo Prisca Priscilla Priscille Priya Priyala Procopio Proserpina
Protasio Providenci Prudenzia Prudenzio Publio Pulchérie Puneet Pupolo Purnima Purushottam Pushti Pusicio Pécine
Pélagie Pénélope Pétronille Quartilla Quentin Quentine Querano Quin Quincy Quinn Quinten Quintia Quintiliano Quintilio
Quintino Quinton Quinty Quinziano Quinzio Quirin Quirino Quiteria Quiéta Rachael Rachel Rachele Rachelle Rachid Radha
Radolfo Rae Raegan Rafael Rafaela Rafaël Raffaele Raffaella Rageshwari Rageswari Raheem Rahel Rahsaan Rahul Raik
Raimondo Rainaldo Rainelda Raj Rajan Rajendra Rajesh Rajinder Rajiv Rakesh Ralph Ramaa Ramesh Rameshwar Ramiro Ramon
Ramona Randal Randall Randi Randolph Randy Raniero Ranjeet Ranjit Ranolfo Raoul Raphael Raphaelle Raphaël Raphaëlle
Raquel Rashad Rashawn Rasheed Rasmus Rati Raul Rayan Rayen Raymond Raymonde Raymundo Raúl Reagan Reanna Reba Rebecca
Rebeka Rebekah Rebekka Reece Reese Regan Reggie Reginald Reginaldo Reid Reilly Reinhold Remigio Remington Remondo
Renata Renato Renaud Rene Renee Rens Renske Renzo Renée Respicio Ressie Retha Reuben Reva Rex Reybaud Reyes Reymundo
Reyna Reynold Rhea Rhett Rhianna Rhiannon Rhoda Rhonda Riana Ricardo Ricario Riccarda Riccardo Richard Richelmo Richie
Rick Rickey Rickie Ricky Rico Rieke Rigoberto Rike Riley Rina Rinaldo Rino Rita Ritesh Riv Roan Robaldo Robb Robbie
Robert Roberta Roberto Robyn Rocco Rochelle Rocio Roderick Rodger Rodiano Rodney Rodolfo Rodolphe Rodrick Rodrigo
Rodrigue Rogelio Roger Rogers Rohan Rohana Rohit Roland Rolande Rolando Rolfo Rollin Romano Romee Romero Romeu Romilda
Romina Romoaldo Romola Romolo Romuald Romualdo Romy Roméo Ron Ronald Ronaldo Ronan Ronja Ronnie Ronny Roosevelt Rory
Rosa Rosalee Rosalia Rosalie Rosalind Rosalinda Rosalyn Rosamond Rosamunda Rosanna Rosario Roscoe Roselin Roseline
Rosella Roselyn Rosemarie Rosendo Rosetta Rosie Rosina Roslyn Rosmunda Ross Rossana Rossella Rossie Rowena Rowland
Roxane Roxanne Roxy Roy Royce Rozella Ruben Rubiano Rubie Rubye Rubén Rudolph Rudra Rudy Rufina Rufino Rufus Ruggero
Rukhmani Rukmin Rupert Ruperto Rupinder Russ Russel Russell Ruth Ruthe Ruthie Rutilo Ryan Ryann Ryder Rylan Rylee
Ryleigh Ryley Régine Réjean Réjeanne Rémi Rúben Saar Saba Sabazio Sabele Sabina Sabine Sabrina Sabryna Sachin Sadie
Sadye Safae Saffiro Saffo Safiya Safouan Safouane Sahra Saige Saladino Salih Sallie Salome Salomone Salomè Salomé
Salomë Salustio Salvatore Sam Samantha Samara Sameer Sami Samir Samira Sammie Sammy Samona Samson Samuel Samuele
Samuël Sancho Sander Sandra Sandrine Sandro Sanja Sanjay Sanka Sanna Sanne Sansone Santina Santos Sanya Saphira Sara
Sarah Sarala Saraswati Sarbello Sarina Sarisha Sarla Saroja Sarvin Sascha Sasha Saskia Satish Satyen Saul Savanah
Savanna Saverio Savin Savina Savinien Savino Savion Saúl Scarlett Scholastique Schuyler Scolastica Scot Scott Scottie
Scotty Seamus Sean Seb Sebas Sebastiaan Sebastian Sebastiana Sebastião Secondiano Secondina Sedrick Sef Seff Sefora
Selena Selene Selim Selin Selina Selma Selmer Semih Semiramide Semplicio Sempronio Senesio Senn Senna Senofonte Sepp
Serafino Serapione Serena Sergi Sergio Servidio Serviliano Seth Settimio Sev Severiano Severino Shad Shaina Shakira
Shakti Shakuntala Shana Shane Shanel Shanelle Shania Shanie Shaniya Shankar Shanna Shannon Shanny Shanon Shantanu
Shanti Shany Sharda Shari Sharmila Sharon Shashi Shashikala Shaun Shawn Shawna Shaylee Shayna Shayne Shea Sheela
Sheila Sheldon Shelia Shelley Shelly Shemar Sher Sheri Sheridan Sherman Sherri Sherwood Sheryl Shirley Shiv Shivakari
Shobhana Shresth Shresthi Shreya Shreyashi Shridevi Shrishti Shubha Shubhaprada Shwet Shyann Shyanne Sibilla Sibyl
Sico Sid Siddarth Siddhi Siddhran Sidney Sidoine Siem Sienna Siep Sigebert Sigfrido Sigismond Sigismondo Sigmund
Sigrid Sigurd Silas Silja Silke Silvan Silvana Silverio Silvestro Silvia Silvio Silvère Simeon Simeone Simon Simona
Simone Simonetta Simão Sinan Sinesio Sinfronio Sinja Sireno Siricio Sirineu Sisto Sitara Sixtine Siënna Sjoerd Sjors
Skye Skyla Skylar Sloka Smeralda Smita Smriti Socrate Sofia Sofie Sofronia Sofía Soline Solocone Solon Somnath Somu
Sonia Sonja Sonny Sonya Soof Sophia Sophie Soraia Soraya Sostene Sosteneo Sostrato Spano Spartaco Speranzio Stacey
Stacy Stan Stanford Stanislao Stanislas Stanton Stef Stefan Stefania Stefanie Stefano Steffen Stella Stephan Stephania
Stephanie Stephany Stephen Stephon Sterre Steve Steven Stevie Stewart Stijn Stiliano Stina Stiriaco Stuart Stéphane
Stéphanie Subhash Subhashini Subhasini Subodh Sucheta Sude Sudeva Sujata Sukanya Suman Sumitra Sunita Surano Suresh
Surya Suryakant Suryakanta Suryakantam Susan Susana Susanna Susanne Susheel Sushil Sushma Susie Suus Suzanne Suze
Suzon Suélen Svea Sven Svenja Sverre Sveva Sviturno Swapnil Swara Swarnalata Swassane Sweta Syble Sydnee Sydni Sydnie
Sylvan Sylvester Sylvia Sylviane Sylvie Sébastien Ségolène Sérgio Séverin Séverine Sílvia Sönke Sören Tabita Tabitha
Tad Taddeo Tadeo Taide Talea Talia Talita Tamara Tami Tamina Tamino Tammaro Tammo Tammy Tancredi Tancrède Tanguy Tania
Tanirika Tanushree Tanushri Tanya Tapan Tara Tarcisio Tarik Tarquinia Tarsilla Tarun Taryn Tasha Tate Tatiana Tatum
Tatyana Taurean Tavares Taya Tayler Taziana Taziano Tazio Teagan Ted Teddy Teije Tej Tejas Telchide Telemaco Telica
Telly Temistocle Teo Teobaldo Teodata Teodolinda Teodora Teodoro Teodosio Teodoto Teogene Terence Terenzio Teresa Teri
Terrance Terrell Terrence Terri Terrill Terry Tesifonte Tess Tessa Tessie Teudosia Teun Teunis Tevin Thad Thaddeus
Thalea Thalia Thea Thelma Theo Theodor Theodora Theodore Theresa Therese Theresia Theron Thiago Thibault Thibert
Thierry Thies Thije Thijmen Thijn Thijs Thilo Thirza Thom Thomas Thorben Thore Thorge Thurman Théo Théodora Théodore
Théodose Théophile Théophraste Thérèse Tia Tiago Tiana Tianna Tibaldo Tiburzio Ticone Tieme Tiffany Tijmen Tijn Tijs
Tillman Tillmann Tim Timm Timmothy Timmy Timoléon Timon Timoteo Timothy Timothée Tina Tiphaine Tirone Tirza Titien
Tito Titus Tizian Tiziana Tiziano Tjark Tobia Tobias Tobin Toby Tod Todd Tolomeo Tom Tomas Tomasa Tomke Tommaso Tommie
Tommy Tomás Toney Toni Tonnin Tony Tonya Torben Torey Torquato Torrey Tracey Traci Tracy Trajan Trasea Travis Travon
Tremaine Tremayne Trent Tressie Trever Trevion Trevor Trey Tricia Trilochan Trilochana Trilok Trilokanath Trilokesh
Triloki Trisha Tristan Tristano Tristian Tristin Triston Trudie Trycia Trystan Tuana Tullia Tulliano Tullio Turibio
Turold Tushar Tussio Twan Twila Tycho Tygo Tymon Tyra Tyree Tyreek Tyrel Tyrell Tyrese Tyrique Tyron Tyrone Tyshawn
Tyson Ubaldo Ubertino Uberto Udai Udit Ugo Ugolina Ugolino Uguccione Ujjawal Ujjwal Ulberto Ulderico Ulfa Ulfo Ulices
Ulises Ulisse Uliva Ulpiano Ulrico Ulstano Ulysse Umang Umberto Umut Upendra Urdino Uriah Uriel Uriele Urmila Ursicio
Ursmaro Ursula Ursule Usha Uttam Uwe Vaidehi Vaijayanthi Vaijayanti Vaishnavi Vaishno Vaishvi Valentim Valentin
Valentino Valeria Valeriano Valerico Valerie Valerio Valfredo Valfrido Vallie Valtena Valter Valère Valérie Valéry
Vance Vanessa Varalakshmi Vasanti Vasudev Vasudeva Vasudha Vasundhara Vaughn Veda Vedang Vedanga Vedanshi Vedasto
Veerle Veit Velda Velio Vella Velma Velva Venance Venanzio Venceslao Venceslas Venerio Venustiano Vera Verda Verdiana
Verecondo Verena Verenzio Vergie Veriana Veridiana Verla Verlie Vern Verna Verner Vernon Veronica Veronika Verulo
Vespasiano Vezio Vianney Vic Vicenta Vicente Vicki Vickie Vicky Victorin Vidal Vidhur Vidhya Vidiano Vidone Vidur
Vidya Vienna Viggo Vijay Vik Vikram Viktor Viktoria Vilfredo Viliana Viliberto Vilma Vimal Vimala Vinay Vince Vincent
Vincenza Vincenzo Vinciane Vindonio Vinebaldo Vinfrido Vinicio Vinnie Vinz Virgie Virgil Virgilio Virginio Virone
Viscardo Vishnu Vishwamitra Vissia Vitalico Vito Vitor Vittore Vittoriano Vittorio Vitus Vivaldo Vivian Viviana
Viviane Vivianne Viviano Vivien Vivienne Vladimir Vladimiro Vodingo Volfango Vrinda Vrund Vulmaro Vulpiano Vyas Vânia
Waino Waldo Waleran Wallace Walter Walton Wanda Wandrille Warley Watson Wava Waylon Wayne Webster Weldon Wendell Wendy
Werner Wes Wesley Wessel Westley Whitney Wibke Wiebke Wilber Wilbert Wilbur Wilburn Wiley Wilford Wilfred Wilfredo
Wilfrid Wilhelm Wilhelmina Wilhelmine Willa Willard Willem Willi William Willie Willis Willy Wilma Wilmer Wilson
Wilton Winfield Winifred Winnifred Winona Winston Woodrow Wyatt Wyman Xander Xaver Xavi Xavier Xavière Xem Xenia
Ximena Xochitl Xzavier Xénophon Yadira Yago Yahya Yamileth Yango Yannic Yannick Yannik Yannis Yara Yarah Yaren Yaretzi
Yasin Yasmeen Yasmin Yasmine Yassin Yassine Yassir Yazmin Yenthe Yesenia Yessenia Yfke Yinthe Ylvi Ylvie Yoann
Yogendra Yogesh Yoginder Yolanda Yolande Yoshiko Younes Youp Yousef Youssef Ysaline Yseult Yuna Yunus Yuri Yusuf Yven
Yves Yvette Yvonne Zabedeo Zabina Zaccaria Zaccheo Zachariah Zacharie Zachary Zachery Zaché Zack Zackary Zackery Zahra
Zaira Zakaria Zakary Zama Zane Zanita Zanobi Zara Zaria Zayd Zayn Zechariah Zef Zefiro Zehra Zelda Zelinda Zella Zelma
Zena Zenaide Zenebio Zeno Zenobia Zenobio Zenone Zetico Zetta Zev Zeyd Zeyneb Zeynep Zion Zita Ziva Zoe Zoey Zofia
Zoie Zoila Zola Zora Zosima Zosimo Zoé Zoéva Zoë Zula Zuzanna Zéphirin Ângelo Ève Édith Édouard Éleuthère Élia Éliane
Élie Élisabeth Élisée Élodie Éloïse Élzéar Éléonore Émeline Émeric Émile Émilie Émérance Émérencie Éric Érica Étienne
Évangéline Évariste Évelyne Évrard Ígor Ömer
`);

/** These are common words or small towns in some language: a name only before another capitalized word. */
export const AMBIGUOUS_FIRST_NAMES = names(`
Aaltje Abbondanza Abele Abondance Abraham Abril Acanthe Addo Addolorata Adel Adjutor Adonise Adán Adèle Afton Agape
Agata Agustina Agustín Aimable Aimé Aimée Alano Albano Alberta Alberte Albina Alcino Alea Alexandrine Alexia Alexie
Alexine Alf Ali Alia Alivia Alizé Alma Altea Alvina Alysson Amabile Amande Amando Amant Amante Amar Amara Amaranto
Amari Amaryllis Amata Amato Amatore Amber Ambra Ambre Ambroisie Ambrosiano Amico Amore Amour Améthyste Anais Anand
Andrés Ange Angelo Angélique Anil Anila Anni Annunziata Antero Antonina Anémone Aphélie Apollo Apsara Aquilin Aquilino
Ara Aras Arcadio Archange Arda Ardito Argelia Argine Argo Ari Ariana Arie Aristarco Aristo Arlo Armeline Arminio
Artemisa Asa Assomption Assunta Assunto Astérie Atanasia Aube Audace Augusta Auguste Augusto Aurora Aurore Ausilio
Austin Aveline Avis Axel Aya Azalée Azzurra Bacco Bala Baldo Bambina Barbe Bardo Bas Basilia Basilio Battista Beata
Beato Bella Belle Ben Benedetta Benedetto Benigna Benigno Benjamim Benjamín Benoît Bente Benvenuta Benvenuto
Berengario Berthe Bhadrak Bibi Bill Birdie Bob Bodhan Boet Bon Bonito Braden Brenn Breno Brisa Bruna Bruto Bárbara
Bénigne Cade Caesar Caio Calcedonio Cale Calista Camden Camelia Candida Candido Capitolina Capucine Caridad Carine
Carlota Carmel Carola Carolina Carson Carter Cas Casimir Casimira Casto Cataldo Catena Cato Celestino Celia Cem Chad
Charlotte Chaya Chelsea Chester Chet Chiara Christ Christin Chrétien Cicero Cielo Clarisse Clemente Clementina
Clémence Clément Clémentine Coco Colomba Colton Columbus Concepción Concetto Consolata Corbin Coronato Costante
Costanza Crescente Cristal Cristiana Cristiano Crocefisso Cupido Céleste Célestin César Dacio Dahlia Daisy Danio Dante
Daphné Daria Davon Dean Decimo Deen Degna Deja Delfina Delfino Delizia Demarco Demi Desiderata Desiderato Desiderio
Destin Destini Devota Diamante Diede Diego Diletta Dionisia Divo Dixie Domenica Dominik Donata Donato Douce Drew Dulce
Désiré Efe Ela Elda Electa Elide Elle Elogio Ena Enea Enna Ercolano Eren Esta Estevan Estrella Ethyl Eufrasia Eustache
Faas Faith Fantine Fatma Fausta Fausto Faya Fedele Felicita Felicitas Felina Fermo Ferne Ferre Fiacre Fidèle Filomena
Filou Finja Fiore Fleur Flor Flore Florence Florencia Floridia Floris Foca Fortunata Fortunato Fortuné Fortunée Fosca
Fosco Franca Francia Francisque Frank Franklin Frida Frido Félicité Féline Gabe Gaetano Gaio Garance Garnier Gemine
Gemma Gene Generosa Generoso Georgia Georgiana Germain Germaine Germana Germano Germán Gesualdo Giacinto Gineto
Giocondo Gioia Giovani Giri Gita Giuliano Giusta Giusto Glauco Gonzaga Gordiano Gosto Grace Grato Grazia Graziano
Guadalupe Guelfo Gui Guillaume Guillemette Guyot Hagen Halle Hannes Hanno Hazel Heather Hein Hellen Hendrik Hermine
Hilaire Holden Holly Honoré Hortense Hunter Hélio Ido Illuminato Incoronata Inga Innocente Innocenza Ione Irem Iride
Iris Ise Italia Ivy Iván Jacinthe Jacinto Jack Jacobus Jada Jaden Jalon Jammie Jara Jaren Jarret Jasmijn Jasmin Jena
Jerónimo Jesus Jesús Jette Joep Jolie Jordan Joy Joya Julien Julienne Juste Jérémie Kaan Kade Kaden Kale Kalle Kamala
Kameron Kamille Kanak Kannen Kasper Kees Keet Kiki Klaas Koen Krijn Lai Lal Landen Lapo Lasse Laure Lauriano Lavada
Lee Lene Leo Leone Leoni Leopardo Lera Letizia Leu Lev Lex Lexie Lia Liam Liana Lias Liberata Liberato Liberatore
Liberio Libero Liberto Libère Licia Lidio Lien Lieto Lieve Lilla Lily Linde Lino Lio Lise Lisette Liviana Loa Loet
Loma Loreno Loris Lorrain Lorraine Lotta Lotte Loua Loup Lourdes Lova Lucca Lue Luise Luk Luminosa Lune Lura Lux
Léonard Maan Maas Madelief Madie Madison Maes Magno Maia Maida Maja Malati Malin Malina Malo Malte Mamante Mansueto
Manuele Marcelina Maren Mareta Margarida Margherita Margot Marica Marie Marina Marino Marita Marjolaine Mark Marlen
Marli Marques Marquise Martin Martino Martín María Massima Massimo Mathurin Matis Matti Maxi Maxime Maye Meda Medina
Mees Melina Melis Meneo Mercede Mercurio Merel Merl Meta Mette Micha Mik Mila Milan Milano Milena Milla Mina Mio Mirre
Mirte Mirza Modesta Moisés Monroe Morena Morgana Morgane Moussa Moïse Musa Mélodie Nadir Napoleon Narciso Narcisse
Natale Nela Nele Nella Nelle Nelson Nena Neri Nia Nico Ninfa Nino Nomi Norman Novella Novi Noé Noël Nunzio Oda Ole
Olive Olympe Oma Omer Omero Ondina Onesta Onesto Onorata Onorino Opalina Opaline Orchidea Oren Orlo Orso Ortensia
Osanna Ottone Pacifico Palatino Palma Palémon Panfilo Param Pardo Parfait Pascale Pat Paterne Patricio Patrizio
Paulina Pelle Pellegrino Pepe Perla Perseo Pia Piet Pilar Pio Pip Piper Placida Placido Pola Prema Primerose Primo
Prisco Privato Prospera Prospero Proteo Puk Pépin Pío Quarto Queenie Quieta Raf Raff Raide Raina Ramón Rana Rania Ravi
Ray Rebeca Regina Regolo Reina Reine Remo René Reta Retta Revi Rey Reza Riff Robin Roch Rocío Roel Romain Romaine
Roman Romana Romane Romeo Roos Rose Rosemary Roser Rosita Rowan Ruby Rufo Rui Régis Sabato Sabino Sabir Safa Safira
Salma Salomon Salvador Salvo Samanta Samia Sandy Sante Santiago Santino Santo Sapiente Sarada Sarai Sare Saturniano
Saturnino Sauveur Savi Sebastiano Seconda Secondo Selvaggia Sem Sena Senne Seppe Serafina Serge Sesto Settimo Severa
Severo Sibylle Sicuro Sidonia Sidonio Siebe Sil Silvano Sim Sina Siria Siriano Sirio Siro Sixte Smilla Soccorso
Solange Soledad Som Soma Spencer Speranza Stanley Sten Sue Suma Swami Sydney Sylvain Sylvestre Séraphin Tabea Taha
Tamia Tanja Tarja Tarso Taurin Taylor Tecla Tertuliano Terzo Tesauro Thaïs Thora Tibbe Tiberio Tierra Til Timo Tino
Tizio Tomé Toon Tosco Toussaint Tranquillo Tre Tressa Treva Troy Turi Tuur Tyler Ultimo Uma Umile Una Unna Uranio
Urbain Urbano Ursino Vada Vala Valente Valentijn Valentina Valeriana Vanda Vanna Varo Vasco Vena Venera Veneranda
Venerando Venere Ventura Venusta Venusto Verano Verdie Vere Vernice Vernie Verona Verónica Vesper Victoire Victor
Victoria Victorien Vida Vieve Vigile Vigo Vin Violante Violet Violette Virginie Vita Vitale Vittoria Vitória Viva Vive
Véronique Víctor Vítor Walker Washington Wende Weston Wies Wout Wouter Zain Zander Zarina Zoilo Ángel Ángela Áurea
Élise Épiphane Íris Óscar
`);
