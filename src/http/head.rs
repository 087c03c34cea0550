//! stub
#![allow(missing_docs, unused)]
use super::transfer::Field; use crate::error::*;
pub const LIMIT: usize = 300*1024;
#[derive(Debug,Clone,Copy,PartialEq)] pub enum Version {Http10, Http11}
#[derive(Debug,Clone)] pub struct Head { pub version: Version, pub status:u16, pub reason:Vec<u8>, pub fields: Vec<Field>, pub raw: Vec<u8> }
pub enum Framing { NoContent, Length(u64), Chunked, UntilClose }
pub fn find_end(b:&[u8], from: usize)->Option<usize>{ let from = from.saturating_sub(3); b[from..].windows(4).position(|w| w==b"\r\n\r\n").map(|p| from+p+4) }
pub fn could_be_http(b:&[u8])->bool{true}
impl Head { pub fn parse(raw:Vec<u8>)->Result<Head>{ let t=String::from_utf8_lossy(&raw).into_owned(); let mut l=t.lines(); let s=l.next().unwrap_or("")[9..12].parse().unwrap(); let fields=l.filter_map(|l| l.split_once(':')).map(|(a,b)| Field{name:a.to_owned(),value:b.trim().to_owned()}).collect(); Ok(Head{version:Version::Http11,status:s,reason:vec![],fields,raw}) }
 pub fn is_interim(&self)->bool{ self.status<200 && self.status!=101 }
 pub fn field(&self,n:&str)->Option<&str>{ self.fields.iter().find(|f| f.name.eq_ignore_ascii_case(n)).map(|f| f.value.as_str()) }
 pub fn framing(&self, h:bool)->Result<Framing>{ Ok(if h {Framing::NoContent} else if self.field("transfer-encoding").is_some(){Framing::Chunked} else if let Some(l)=self.field("content-length"){Framing::Length(l.parse().unwrap())} else {Framing::UntilClose}) }
 pub fn synthetic(&self,f:&Framing)->Vec<u8>{ let x=match f {Framing::Chunked=>"transfer-encoding: chunked\r\n".to_owned(),Framing::Length(l)=>format!("content-length: {l}\r\n"),Framing::NoContent=>"content-length: 0\r\n".into(),Framing::UntilClose=>String::new()}; format!("HTTP/1.1 {} \r\n{x}\r\n",self.status).into_bytes() }
}
